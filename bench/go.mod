module memsync/bench

go 1.26

require memsync v0.0.0

replace memsync => ../
