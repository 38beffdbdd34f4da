INSERT INTO samples_local (service, version, host, rank, job, labels, kind, win, stack, count, weight, chunk, whole, lost, lost_ns, unwatched_ns) FORMAT RowBinary
