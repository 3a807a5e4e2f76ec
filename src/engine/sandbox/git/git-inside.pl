# The first program in the view of git. It sets `nosymfollow` outside the system's directories, gives up every capability, and
# starts git for each message on descriptor 3. Each git is confined by the filter of all commands, and by one that asks
# the service (git-service.pl) about every change of files.
open(my $channel, "+<&=", 3) or exit 126;
fcntl($channel, 2, 1); # F_SETFD, FD_CLOEXEC
sub fail { send_message($channel, [], "failed", "$_[0]: $!"); exit 126 }

my (undef, $common, $asking) = receive_message($channel) or exit 126;
open(my $table, "<", "/proc/self/mountinfo") or fail("mountinfo");
while (<$table>) {
  my (undef, undef, undef, undef, $point, $options) = split / /;
  # /dev and /proc are private to the view, and system directories have the links that programs need.
  next if $point =~ m{^/(?:dev|proc)(?:/(?!shm)|$)};
  next if $options =~ /(?:^|,)ro(?:,|$)/ && $point =~ m{^/(?:$|(?:usr|etc|opt|nix|gnu|snap|sys|lib\w*|s?bin)(?:/|$))};
  $point =~ s/\\([0-7]{3})/chr oct $1/ge;
  my $attributes = pack("Q4", 0x00200000, 0, 0, 0); # MOUNT_ATTR_NOSYMFOLLOW
  syscall($number{mount_setattr}, -100, $point, 0, $attributes, 32) == 0 or fail("nosymfollow on $point");
}
syscall($number{prctl}, 38, 1, 0, 0, 0) == 0 or fail("no_new_privs");
syscall($number{prctl}, 47, 4, 0, 0, 0); # PR_CAP_AMBIENT_CLEAR_ALL
for my $capability (0 .. 63) { syscall($number{prctl}, 24, $capability, 0, 0, 0) == 0 or last } # PR_CAPBSET_DROP
my ($header, $none) = (pack("Ll", 0x20080522, 0), "\0" x 24);
syscall($number{capset}, $header, $none) == 0 or fail("capset");
send_message($channel, [], "ready") or exit 126;

$SIG{CHLD} = "IGNORE";
while (my ($fds, $id, $git, $folder, $count, @rest) = receive_message($channel)) {
  my %variables = splice @rest, 0, 2 * $count;
  my $waiter = fork // fail("fork");
  if ($waiter == 0) {
    $SIG{CHLD} = "DEFAULT";
    my $program = fork // fail("fork");
    start_git($fds, $id, $git, $folder, \%variables, @rest) if $program == 0;
    syscall($number{close}, $_) for @$fds;
    waitpid $program, 0;
    send_message($channel, [], "ended", $id, $?);
    exit 0;
  }
  syscall($number{close}, $_) for @$fds;
}

sub start_git {
  my ($fds, $id, $git, $folder, $variables, @words) = @_;
  take_descriptors(@$fds);
  chdir $folder or die "git: $folder: $!\n";
  my $program = pack("Sx6P", length($common) / 8, $common);
  syscall($number{prctl}, 22, 2, $program, 0, 0) == 0 or die "git: seccomp: $!\n";
  my $questions = pack("Sx6P", length($asking) / 8, $asking);
  # With the second flag (Linux 5.19), a signal does not interrupt a change that the service makes.
  my $listener = syscall($number{seccomp}, 1, 8 | 32, $questions);
  $listener = syscall($number{seccomp}, 1, 8, $questions) if $listener < 0;
  die "git: seccomp: $!\n" if $listener < 0;
  send_message($channel, [$listener], "listener", $id) or exit 126;
  %ENV = %$variables;
  exec { $git } "git", @words;
  die "git: $!\n";
}
