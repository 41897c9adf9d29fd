"""HTTP: a thin shell over `outlast.service`.

exports.py   the router                        app.py       the service of its own, `outlast api`
route.py     what turns refusals into answers  auth.py      its built-in bearer tokens
problems.py  those answers                     health.py    /livez and /readyz
body.py      reading JSON, strictly            stopping.py  what SIGTERM does
incoming.py  what a request's head says        watcher.py   long polling
etags.py     entity tags and preconditions     threads.py   where blocking calls wait
ranges.py    byte ranges                       openapi.py   what the OpenAPI document says of all that
download.py  a result's answer                 models.py    the answers' shapes, for it alone
"""
