/* Delays fsync and fdatasync by SYNC_DELAY_US microseconds, and counts them. At the process's end the count is
   appended, as one line, to the file SYNC_COUNT_FILE. Either variable may be missing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_long syncs;
static struct timespec delay;
static int (*real_fsync)(int), (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
    const char *microseconds = getenv("SYNC_DELAY_US");
    long all = microseconds ? atol(microseconds) : 0;
    delay.tv_sec = all / 1000000;
    delay.tv_nsec = all % 1000000 * 1000;
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

static void before_sync(void) {
    atomic_fetch_add(&syncs, 1);
    if (delay.tv_sec || delay.tv_nsec) nanosleep(&delay, NULL);
}

int fsync(int file) { before_sync(); return real_fsync(file); }
int fdatasync(int file) { before_sync(); return real_fdatasync(file); }

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("SYNC_COUNT_FILE");
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
    if (file < 0) return;
    dprintf(file, "%ld\n", atomic_load(&syncs));
    close(file);
}
