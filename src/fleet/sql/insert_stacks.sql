INSERT INTO stacks_local (hash, path, names, objects) FORMAT RowBinary
