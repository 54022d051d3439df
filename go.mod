module memsync

go 1.26
