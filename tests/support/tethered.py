"""Commands that must not run as root, and must not outlive whoever starts them."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path


def tethered(program: Path, directory: Path) -> tuple[str, ...]:
    """Give what stands before a command that runs `program`, with `directory` as its own.

    The program is exec'ed, so its pid is the command's. On Linux the kernel sends it SIGQUIT when the thread that
    started it ends (prctl(2), PR_SET_PDEATHSIG), even by SIGKILL. Where root calls, it runs as `nobody`, to whom
    `directory` is given; where `nobody` reaches program or directory not, as a user of a namespace of its own.
    """
    setpriv = shutil.which("setpriv")
    tether = (setpriv, "--pdeathsig", "QUIT") if setpriv else ()
    if os.geteuid() != 0:
        return tether
    nobody = pwd.getpwnam("nobody")
    lowered = (*tether, f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups")
    os.chown(directory, nobody.pw_uid, nobody.pw_gid)
    reach = [*lowered, "test", "-x", program, "-a", "-w", directory]
    if subprocess.run(reach, check=False).returncode == 0:
        return lowered
    os.chown(directory, 0, 0)
    return ("unshare", "--user", *tether)
