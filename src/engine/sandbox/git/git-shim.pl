# Lies over git. Commands that only read, and those for repositories that can be written here, are run by the real git. Others
# are handed to the service (git-service.pl), which runs git where it can write the repository. This process then runs the programs
# that git calls: hooks, editors, filters.
# Everything here can be forged by a command: it decides nothing that matters.

my @words = @ARGV;
unshift @words, $1 if $0 =~ m{/git-([^/]+)$};
run_git() if !needs_service(@words);

# Closed descriptors must not get the numbers of input and output.
my @holes;
do { open($holes[@holes], "+<", "/dev/null") or die "git: /dev/null: $!\n" } while fileno $holes[-1] < 3;
my $service;
socket($service, 1, 1, 0) && connect($service, pack("S a*", 1, "/run/toolcrib/socket")) or run_git();
my $cwd = readlink("/proc/self/cwd");
send_message($service, [0, 1, 2], "git", $cwd, variables(), @words) or die "git: the service of git has ended\n";
# A reader of git's output waits until no process has it open.
open(STDIN, "<", "/dev/null");
open(STDOUT, ">", "/dev/null");
for my $signal (qw(HUP INT QUIT TERM USR1)) {
  $SIG{$signal} = sub { send_message($service, [], "signal", $signal) };
}
while (my ($fds, $kind, @rest) = receive_message($service)) {
  end_as(@rest) if $kind eq "ended";
  start($fds, @rest) if $kind eq "run";
  syscall($number{close}, $_) for @$fds;
  1 while waitpid(-1, 1) > 0;
}
print STDERR "git: the service of git has ended\n";
exit 128;

sub run_git { exec { "/run/toolcrib/git" } "git", @words; die "git: $!\n" }

sub variables {
  my %chosen = map { $_ => $ENV{$_} } grep { $_ =~ $passed } keys %ENV;
  return (scalar(keys %chosen), %chosen);
}

sub end_as {
  my ($status) = @_;
  if (my $signal = $status & 127) { @SIG{qw(HUP INT QUIT TERM USR1)} = ("DEFAULT") x 5; kill $signal, $$ }
  exit($status >> 8 || ($status & 127) + 128 * !!($status & 127));
}

# Runs a program that git called, with git's descriptors, folder and variables.
sub start {
  my ($fds, $id, $folder, $count, @rest) = @_;
  my %variables = splice @rest, 0, 2 * $count;
  my $waiter = fork;
  return if $waiter || !defined $waiter;
  $SIG{$_} = "IGNORE" for qw(HUP INT QUIT TERM USR1);
  my $program = fork;
  if (!$program) {
    $SIG{$_} = "DEFAULT" for qw(HUP INT QUIT TERM USR1);
    take_descriptors(@$fds);
    chdir $folder;
    delete @ENV{grep { $_ =~ $passed } keys %ENV};
    @ENV{keys %variables} = values %variables;
    # git calls a shell: `sh -c LINE`, or `sh FILE` for a file that it could not run itself.
    if ($rest[0] ne "-c") { exec { $rest[0] } @rest }
    exec { "/bin/sh" } "sh", @rest or exit 127;
  }
  waitpid $program, 0;
  send_message($service, [], "ran", $id, $?);
  exit 0;
}

# Whether git needs the service: the command may write, and the repository is read-only here.
sub needs_service {
  my ($folder, $directory, @rest) = (".", $ENV{GIT_DIR}, @_);
  while (@rest && $rest[0] =~ /^-/) {
    my $option = shift @rest;
    if ($option eq "-C") { my $to = shift @rest; $folder = $to =~ m{^/} ? $to : "$folder/$to" if length $to }
    elsif ($option eq "--git-dir") { $directory = shift @rest }
    elsif ($option =~ /^--git-dir=(.*)/s) { $directory = $1 }
    elsif ($option =~ /^(?:-c|--work-tree|--namespace|--super-prefix|--config-env|--attr-source)$/) { shift @rest }
  }
  my $command = shift @rest;
  return 0 if !defined $command || only_reads($command, @rest);
  my $at = defined $directory ? ($directory =~ m{^/} ? $directory : "$folder/$directory") : repository($folder);
  $at = $rest[-1] if $command eq "receive-pack" && @rest;
  if ($command eq "init") {
    my @plain = grep { !/^-/ } join_values(@rest);
    my $top = !@plain ? $folder : $plain[-1] =~ m{^/} ? $plain[-1] : "$folder/$plain[-1]";
    return -e "$top/.git" && is_closed("$top/.git");
  }
  return 0 if !defined $at;
  return is_closed($at);
}

# Joins options of `init` with their values.
sub join_values {
  my @joined;
  while (@_) {
    my $word = shift;
    push @joined, $word =~ /^(?:-b|--initial-branch|--template|--object-format|--separate-git-dir)$/ ? "$word\n" . shift : $word;
  }
  return @joined;
}

sub is_closed {
  my ($path) = @_;
  $path .= "/.git" if -d "$path/.git";
  if (-f $path) {
    open(my $file, "<", $path) or return 1;
    my ($target) = <$file> =~ /^gitdir: (.*)/;
    $path = $target =~ m{^/} ? $target : $path =~ s{[^/]*$}{$target}r;
  }
  return syscall($number{faccessat}, -100, $path, 2) != 0 && $! == 30; # W_OK, EROFS
}

# Returns the `.git` of the repository around a folder.
sub repository {
  my ($folder) = @_;
  for (my $depth = 0; $depth < 200; $depth++) {
    return "$folder/.git" if -e "$folder/.git";
    my @at = stat $folder or return;
    $folder .= "/..";
    my @above = stat $folder or return;
    return if $at[0] == $above[0] && $at[1] == $above[1];
  }
  return;
}

# Commands that write no repository. `status` is not among them, because it refreshes the index. What is missing here takes a few milliseconds more.
sub only_reads {
  my ($command, @rest) = @_;
  return 1 if $command =~ /^(?:log|show|diff|diff-(?:tree|index|files)|difftool|grep|blame|annotate|cat-file|ls-(?:files|tree|remote)|rev-(?:parse|list)|describe|shortlog|name-rev|merge-base|for-each-ref|show-(?:ref|branch)|whatchanged|range-diff|cherry|var|version|help|check-(?:ignore|attr|mailmap|ref-format)|count-objects|archive|format-patch|clone|credential|hook|--version|--help|--exec-path)$/;
  my @plain = grep { !/^-/ } @rest;
  return 1 if $command eq "config" && (@plain == 1 && !grep { /^--?(?:un|e|rem|ren|add|rep)/ } @rest or grep { /^(?:-l|--list|--get.*)$/ } @rest);
  return 1 if $command =~ /^(?:branch|tag|remote|stash)$/ && !@plain && !grep { !/^(?:-v|-vv|-a|-r|-l|--list|--all|--verbose|--show-current)$/ } @rest and $command ne "stash";
  return 1 if $command eq "stash" && @plain && $plain[0] =~ /^(?:list|show)$/;
  return 0;
}
