"""HTTP: a thin shell over `outlast.service`.

exports.py    the router                          app.py             the service of its own, `outlast api`
route.py      what turns refusals into answers    auth.py            its built-in bearer tokens
problems.py   those answers                       health.py          /livez, /readyz and /metrics
accepting.py  the way of a POST to its 202        stopping.py        what SIGTERM does
bridge.py     between event loop and writer       threads.py         where blocking calls wait
incoming.py   what a request's head says          openapi.py         what the document says of each endpoint
body.py       reading JSON, strictly              models.py          the answers' shapes, for it alone
answers.py    answers that carry JSON             request_schema.py  the request's, one variant an export
download.py   the answer that carries a file      ranges.py          byte ranges
watcher.py    long polling                        etags.py           entity tags and preconditions
"""
