# Lies over /bin/sh in the view of git. The service runs what git wanted to run, and the call returns how it ended.
my $status = syscall($number{sched_rr_get_interval}, 0, 0);
if (my $signal = $status & 127) { kill $signal, $$ }
exit($status < 0 ? 127 : $status >> 8);
