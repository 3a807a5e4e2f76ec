# The service that runs git for commands. For each command it listens at a socket, at which git-shim.pl hands over calls of git. Git runs in a view of
# its own (git-inside.pl), and asks here before every change of files and every start of a program: by seccomp, so that the call
# waits for the answer. The paths of git directories cannot be moved in the view of commands, no link is followed in the view
# of git, and no program but git's own runs there: so a path that is judged here means the same when the kernel uses it.
# It reads lines: `open NAME`, with the plan in the file NAME.plan, `close NAME`, and `go NAME` as the answer to the lines
# `view NAME` and `mounted NAME PID`, before and after the mounts of a view. `prove NAME` tries everything once.

my ($name, $common, $asking, $git, $programs, $shell, $temporary, $seen, $arguments, @guards, @launch);
my ($socket, $view, %calls, %listeners, %runs, %pending, $next, %rules, $proven);

sub read_plan {
  my @plan = @_;
  ($name, $common, $asking, $git, $programs, $shell, $temporary, $seen, $arguments) = splice @plan, 0, 9;
  my $list = sub { splice @plan, 0, shift @plan };
  @guards = $list->();
  @launch = $list->();
}

# Tries everything once, and reports the first thing that does not work.
sub prove {
  my ($here, $there);
  socketpair($here, $there, 1, 1, 0);
  open(my $hole, "+<", "/dev/null");
  my $folder = "toolcrib-git-$$";
  send_message($there, [(fileno $hole) x 3], "git", "/", 0, "init", "-q", "--bare", "$seen/$folder");
  take_call($here);
  my $end = time + 20;
  look() while !$proven && time < $end;
  syswrite(STDOUT, "proven $name " . ($proven || "it does not answer") . "\n");
  system "/bin/rm", "-rf", "$temporary/$folder";
  exit 0;
}

sub serve {
  ($socket) = @_;
  # When the command has ended, git may finish what it must not leave half done. The alarm ends this process whatever it waits for.
  my $ends;
  $SIG{TERM} = sub {
    $ends = time + 2;
    alarm 3;
    signal($_, 15) for values %calls;
  };
  look() while !$ends || %calls && time < $ends;
  exit 0;
}

# Waits for something to do.
sub look {
  my @watched = ($socket && keys %calls < 256 ? $socket : (), $view ? $view : (), (map { $_->{shim} // () } values %calls), map { $_->{handle} } values %listeners);
  my $events = pack "(l s s)*", map { (fileno $_, 1, 0) } @watched;
  my $second = pack "q q", 1, 0;
  return if syscall($number{ppoll}, $events, scalar @watched, $second, 0, 0) <= 0;
  my @events = unpack "(l s s)*", $events;
  for my $index (0 .. $#watched) {
    my ($fd, undef, $event) = @events[3 * $index .. 3 * $index + 2] or next;
    next if !$event;
    my $handle = $watched[$index];
    if ($socket && $handle == $socket) { my $shim; accept($shim, $socket) && take_call($shim) }
    elsif ($view && $handle == $view) { take_answer() }
    elsif (my ($listener) = grep { $_->{handle} == $handle } values %listeners) {
      if ($event & 1) { take_question($listener) } else { delete $listeners{$listener->{id}} }
    }
    elsif (my ($call) = grep { $_->{shim} && $_->{shim} == $handle } values %calls) { take_message($call) }
  }
}

# A call of git from the view of commands.
sub take_call {
  my ($shim) = @_;
  my ($fds, $kind, $folder, $count, @rest) = receive_message($shim);
  if ($kind ne "git" || @$fds != 3 || $folder !~ m{^/} || 2 * $count > @rest) {
    syscall($number{close}, $_) for @{ $fds || [] };
    return;
  }
  my %variables = splice @rest, 0, 2 * $count;
  for (keys %variables) { delete $variables{$_} if $_ !~ $passed }
  $variables{GIT_TEMPLATE_DIR} = "";
  my $failure = $view ? undef : open_view();
  my $id = ++$next;
  open(my $errors, ">&=", $fds->[2]);
  my $call = $calls{$id} = { id => $id, shim => $shim, errors => $errors, refused => {} };
  if ($failure) {
    refuse($call, "git could not be started: $failure");
    finish($call, 128 << 8);
  } else { send_message($view, $fds, $id, $git, $folder, scalar(keys %variables), %variables, @rest) }
  syscall($number{close}, $_) for @$fds[0, 1];
}

sub open_view {
  wait_for_toolcrib("view $name");
  socketpair($view, my $inside, 1, 1, 0) or return "$!";
  my $child = fork;
  if ($child == 0) {
    open(my $file, "+>", "$name.arguments") or exit 126;
    unlink "$name.arguments";
    print $file $arguments;
    seek $file, 0, 0;
    open(my $hole, "+<", "/dev/null");
    my @given = (fileno $hole, fileno $hole, 2, fileno $inside, fileno $file);
    # No descriptor may be overwritten before it is used.
    $_ = syscall($number{fcntl}, $_, 0, 100) for @given;
    syscall($number{dup3}, $given[$_], $_, 0) for 0 .. 4;
    %ENV = ();
    exec { $launch[0] } @launch;
    exit 126;
  }
  close $inside;
  send_message($view, [], $common, $asking);
  my (undef, $answer, $failure) = receive_message($view);
  if ($answer eq "ready") { wait_for_toolcrib("mounted $name $child"); return }
  undef $view;
  return $failure || "its sandbox could not be set up";
}

# Toolcrib checks the mounts, and answers by a signal.
sub wait_for_toolcrib {
  my $may;
  local $SIG{USR1} = sub { $may = 1 };
  local $SIG{TERM} = sub { exit 0 };
  syswrite(STDOUT, "$_[0]\n");
  select undef, undef, undef, 0.05 while !$may;
}

sub take_answer {
  my ($fds, $kind, $id, $status) = receive_message($view);
  if (!defined $kind) {
    undef $view;
    finish($_, 137 << 8) for values %calls;
  } elsif ($kind eq "listener") {
    open(my $handle, "+<&=", $fds->[0]);
    $listeners{$id} = { id => $id, handle => $handle, call => $calls{$id} };
  } elsif ($kind eq "ended") { finish($calls{$id}, $status) if $calls{$id} }
}

sub finish {
  my ($call, $status) = @_;
  write_pending();
  $proven = $status ? join("; ", "git failed", keys %{ $call->{refused} }) : "ok" if !$socket;
  if ($call->{shim}) {
    syswrite($call->{errors}, "toolcrib: $_\n") for sort keys %{ $call->{refused} };
    send_message($call->{shim}, [], "ended", $status);
  }
  delete $calls{ $call->{id} };
}

sub refuse { my ($call, $what) = @_; $call->{refused}{$what} = 1 if keys %{ $call->{refused} } < 10 }

# A message of the shim: a signal for git, or the end of a program that git called.
sub take_message {
  my ($call) = @_;
  my ($fds, $kind, @rest) = receive_message($call->{shim});
  syscall($number{close}, $_) for @{ $fds || [] };
  if (!defined $kind) {
    # Nobody waits for git any more.
    delete $call->{shim};
    signal($call, 15);
    answer_run($_, 15) for grep { $runs{$_}{call} == $call } keys %runs;
  } elsif ($kind eq "signal") {
    my %signals = (HUP => 1, INT => 2, QUIT => 3, TERM => 15, USR1 => 10);
    signal($call, $signals{ $rest[0] }) if $signals{ $rest[0] };
  } elsif ($kind eq "ran" && $runs{ $rest[0] } && $runs{ $rest[0] }{call} == $call) { answer_run($rest[0], $rest[1] & 0xffff) }
}

sub signal {
  my ($call, $signal) = @_;
  syscall($number{pidfd_send_signal}, fileno $call->{process}, $signal, 0, 0) if $call->{process};
}

# Reads what git wants to do, and answers.
sub take_question {
  my ($listener) = @_;
  my $question = "\0" x 80;
  ioctl($listener->{handle}, 0xc0502100, $question) or return;
  my ($id, $pid, undef, $number, undef, undef, @arguments) = unpack "Q L L l L Q Q6", $question;
  write_pending() if %pending;
  my $call = $listener->{call};
  if (!$call->{process}) {
    my $process = syscall($number{pidfd_open}, $pid, 0);
    open($call->{process}, "<&=", $process) if $process >= 0;
  }
  my $asked = { listener => $listener, id => $id, pid => $pid, call => $call };
  my $rule = $rules{$number};
  my $error = $rule ? $rule->($asked, @arguments) : 1;
  return if !defined $error;
  # 0: the kernel goes on with the call. A negative number: the service has made the change.
  if ($error == 0) { answer($asked, 0, 0, 1) } elsif ($error < 0) { answer($asked, 0, 0, 0) } else { answer($asked, 0, -$error, 0) }
}

sub answer {
  my ($asked, $value, $error, $flags) = @_;
  my $answer = pack "Q q l L", $asked->{id}, $value, $error, $flags;
  ioctl($asked->{listener}{handle}, 0xc0182101, $answer);
}

sub text_at {
  my ($asked, $address) = @_;
  open(my $memory, "<", "/proc/$asked->{pid}/mem") or return;
  my $text = "";
  for (1 .. 2) {
    sysseek($memory, $address + length $text, 0);
    sysread($memory, my $piece, 4096 - ($address + length $text) % 4096) or last;
    $text .= $piece;
    return $1 if $text =~ /^([^\0]*)\0/;
  }
  return;
}

sub signed { unpack "l", pack "L", $_[0] & 0xffffffff }

# Returns a path without `.` and `//`, and whether it can be trusted: where a path has `..`, directories that commands move could
# make it mean another one.
sub path_at {
  my ($asked, $directory, $address) = @_;
  my $path = text_at($asked, $address);
  return if !defined $path;
  my $base = "";
  if ($path !~ m{^/}) {
    $directory = signed($directory);
    $base = readlink($directory == -100 ? "/proc/$asked->{pid}/cwd" : "/proc/$asked->{pid}/fd/$directory");
    return if !defined $base;
  }
  my @parts;
  my $steps = 0;
  for (split m{/+}, $path) {
    if ($_ eq "..") { $steps++ } elsif ($_ ne "." && $_ ne "") { push @parts, $_ }
  }
  return join "/", $base eq "/" ? "" : $base, @parts if $steps == 0;
  # `..` is exact at the beginning, in a directory that cannot be moved: in a git directory or around one.
  if ($path =~ m{^(?:\.\./+|\./+)*(?:\.\.$|(?!.*(?:^|/)\.\.(?:/|$)))}s && grep { index("$base/", "$_/") == 0 || index("$_/", "$base/") == 0 } @guards) {
    $base =~ s{/[^/]*$}{} for 1 .. $steps;
    return join "/", $base, @parts;
  }
  # Otherwise it is refused if it could name a git directory, also through the links of /proc and /dev.
  my %names = (proc => 1, dev => 1, map { m{([^/]*)$} => 1 } @guards);
  return if $base =~ m{^/(?:proc|dev)(?:/|$)} || grep { $names{$_} } @parts or grep { index("$base/", "$_/") == 0 } @guards;
  return "/elsewhere/" . join "/", @parts;
}

# Returns the git directory that a path lies in, and the path inside.
sub inside {
  my ($path) = @_;
  my ($found) = sort { length $b <=> length $a } grep { index($path, "$_/") == 0 } @guards;
  return if !defined $found;
  my $rest = substr $path, 1 + length $found;
  while (1) {
    if ($rest =~ m{^worktrees/([^/]+)/(.+)$}s) { ($found, $rest) = ("$found/worktrees/$1", $2); next }
    if ($rest =~ m{^modules/(.+)$}s) {
      my @names = split m{/}, $1;
      my ($count) = grep { -e "$found/modules/" . join("/", @names[0 .. $_ - 1], "HEAD") } 1 .. $#names;
      # A module's name can have slashes. Before its HEAD exists, a name that git would obey belongs to any directory.
      $count = $#names if !$count && $names[-1] =~ /^(?:config|config\.worktree|commondir)(?:\.lock)?$/;
      if ($count) { ($found, $rest) = (join("/", $found, "modules", @names[0 .. $count - 1]), join("/", @names[$count .. $#names])); next }
      my ($good) = grep { is_harmless_name($_) } map { join "/", @names[$_ .. $#names] } 1 .. $#names;
      return ($found, @names == 1 ? $rest : $good // "new module");
    }
    last;
  }
  return ($found, $rest);
}

sub is_harmless_name {
  local ($_) = @_;
  return 0 if /\0|\n/;
  # Nothing in these directories may become a git directory itself, which has a HEAD.
  return m{^objects(?:/(?:pack|info|info/commit-graphs|[0-9a-f]{2}))?$} || m{^objects/(?:(?:tmp_objdir|incoming)[\w-]*/)?(?:[0-9a-f]{2}/(?:[0-9a-f]{38,62}|tmp_obj_\w+)|(?:[0-9a-f]{2}|pack)|tmp_\w+|(?:incoming|tmp_objdir)[\w-]*|[\w-]+\.lock|pack/\.?(?:tmp|pack|multi-pack-index)[\w.-]*|info/(?:commit-graph|packs)[\w.-]*|info/commit-graphs/[\w.-]+)$} if m{^objects(?:/|$)};
  if (m{^(?:refs|logs|reftable|rr-cache|lfs|sequencer|rebase-merge|rebase-apply|NOTES_MERGE_WORKTREE)(?:/|$)}) {
    return 1 if m{^logs/HEAD(?:\.lock)?$};
    return 0 if m{(?:^|/)commondir(?:\.lock)?(?:/|$)} || m{^(?:logs/)?refs/remotes/.*/objects(?:/|$)};
    return !m{(?:^|/)HEAD(?:\.lock)?(?:/|$)} || m{^(?:logs/)?refs/remotes/.+/HEAD(?:\.lock)?$};
  }
  return 1 if m{^(?:worktrees|worktrees/[^/]+|modules|modules/[^/]+|info|info/sparse-checkout(?:\.lock)?|info/refs(?:_\w+)?)$}s;
  return m{^(?:[A-Z_]*HEAD|[A-Z]+_(?:EDITMSG|MSG|MODE|RR|AUTOSTASH)|BISECT_\w+|AUTO_MERGE|EDIT_DESCRIPTION|ADD_EDIT\.patch|addp-hunk-edit\.diff|packed-refs(?:\.new)?|(?:[\w.-]+-)?index[\w.-]*|sharedindex[._]\w+|shallow(?:_\w+)?|gc\.(?:pid|log)|locked|gitdir|rebased-patches|git-interpret-trailers-\w+|tmp_\w+|t\w{6})(?:\.lock)?$};
}

# The rules return 0 (go on), an error number, -1 (done) or nothing (answered later).
my $EACCES = 13;

my $settings_file = qr{^(?:config|config\.worktree|sequencer/opts)(?:\.lock)?$};
# What these contain is judged when they are opened.
my $by_opening = qr{^(?:rebase-merge|rebase-apply|sequencer|rebase-merge/strategy)$};
my $only_made = qr{^(?:objects|objects/info|info|refs|worktrees|modules|(?:worktrees|modules)/[^/]+|new module)$};
my $strategy = qr/^(?:resolve|recursive|octopus|ours|subtree|ort)\n?$/;

sub may_change {
  my ($asked, $path, $mode) = @_;
  return unclear($asked) if !defined $path;
  return $path =~ m{^/dev/(?:null|tty|zero|stdout|stderr|fd/[12])$} ? 0 : $EACCES if $path =~ m{^/(?:proc|dev)/(?!shm/)};
  my ($directory, $judged) = inside($path);
  return 0 if !defined $directory || ($judged =~ $settings_file ? $mode : is_harmless_name($judged));
  return denied($asked, $path);
}

sub unclear { my ($asked) = @_; refuse($asked->{call}, "a path with `..` was refused, because it could lead into a git directory"); $EACCES }

sub denied {
  my ($asked, $path) = @_;
  refuse($asked->{call}, "$path was not changed: git obeys this file outside the sandbox, too. Only the user can change it.");
  return $EACCES;
}

sub may_open {
  my ($asked, $flags, $path) = @_;
  return unclear($asked) if !defined $path;
  my ($directory, $judged) = inside($path);
  return may_change($asked, $path) if !defined $directory;
  if ($judged =~ $settings_file && $judged =~ /\.lock$/) {
    return ($flags & 0xc0) == 0xc0 ? 0 : denied($asked, $path); # O_CREAT and O_EXCL
  }
  return denied($asked, $path) if $judged =~ $settings_file;
  return make_common($asked, $path) if $judged eq "commondir" && $directory =~ m{/worktrees/[^/]+$};
  return write_later($asked, $path) if $judged eq "rebase-merge/strategy";
  return may_change($asked, $path);
}

# A new work tree: the service writes the only content that is possible, and git's own goes nowhere.
sub make_common {
  my ($asked, $path) = @_;
  sysopen(my $file, $path, 0xc1 | 0x20000, 0666) or return denied($asked, $path);
  syswrite $file, "../..\n";
  close $file;
  open(my $hole, "+<", "/dev/null") or return $EACCES;
  return give($asked, $hole);
}

# Answers an opening with a descriptor of the service.
sub give {
  my ($asked, $handle) = @_;
  my $added = pack "Q L L L L", $asked->{id}, 0, fileno $handle, 0, 0;
  my $descriptor = ioctl($asked->{listener}{handle}, 0x40182103, $added) or return $EACCES;
  answer($asked, $descriptor + 0, 0, 0);
  return;
}

# A later `git rebase --continue` runs `git merge-STRATEGY`, so git writes its name to a file of the service first.
sub write_later {
  my ($asked, $path) = @_;
  my $file = "$name.strategy";
  unlink $file;
  sysopen(my $handle, $file, 0xc2, 0600) or return $EACCES; # O_RDWR, O_CREAT, O_EXCL
  unlink $file;
  $pending{$path} = $handle;
  return give($asked, $handle);
}

sub write_pending {
  for my $path (keys %pending) {
    my $handle = $pending{$path};
    sysseek $handle, 0, 0;
    sysread $handle, my $text, 100 or next;
    delete $pending{$path};
    next if $text !~ $strategy || !sysopen(my $file, $path, 0x241 | 0x20000, 0666); # O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW
    syswrite $file, $text;
  }
}

sub may_remove {
  my ($asked, $path) = @_;
  return unclear($asked) if !defined $path;
  my ($directory, $judged) = inside($path);
  return may_change($asked, $path) if !defined $directory;
  return 0 if $judged =~ /^(?:config|config\.worktree|sequencer\/opts)\.lock$|^sequencer\/opts$/ || !(-l $path || -e $path);
  return 0 if $directory =~ m{/worktrees/[^/]+$} && $judged =~ /^(?:commondir|config\.worktree)$/;
  return denied($asked, $path) if $judged =~ /^(?:HEAD|objects|refs)$/ && $directory !~ m{/worktrees/[^/]+$};
  return may_change($asked, $path);
}

sub is_new_module { my ($path) = @_; (inside($path))[1] eq "new module" }

sub may_make_directory { my ($asked, $path) = @_; defined $path && is_new_module($path) ? 0 : may_change($asked, $path) }

sub may_remove_directory { my ($asked, $path) = @_; defined $path && is_new_module($path) ? 0 : may_remove($asked, $path) }

sub may_rename {
  my ($asked, $old, $new) = @_;
  return unclear($asked) if !defined $old || !defined $new;
  my ($directory, $judged) = inside($new);
  my ($from, $source) = inside($old);
  return 0 if !defined $directory && !defined $from;
  return 18 if !defined $directory || !defined $from; # EXDEV
  return denied($asked, $old) if $source =~ $settings_file && $source !~ /\.lock$/;
  if ($judged =~ $settings_file) {
    return $from eq $directory && $source eq "$judged.lock" ? change_settings($asked, $directory, $judged) : denied($asked, $new);
  }
  return denied($asked, $new) if $judged =~ $by_opening || $judged =~ $only_made || -d $old;
  return denied($asked, $old) if $source =~ m{^(?:HEAD|objects|refs|worktrees|modules|worktrees/.*|modules/.*)$}s;
  return may_change($asked, $old) || may_change($asked, $new);
}

sub may_link {
  my ($asked, $old, $new) = @_;
  return unclear($asked) if !defined $old || !defined $new || $old =~ m{^/proc/};
  return 0 if !inside($old) && !inside($new);
  return denied($asked, $old) if grep { ((inside($_))[1] // "") =~ /$settings_file|$by_opening/ } $old, $new;
  return 18 if !inside($old) || !inside($new); # EXDEV, because each git directory is a mount
  return may_change($asked, $old) || may_change($asked, $new);
}

sub may_symlink {
  my ($asked, $path, $target) = @_;
  return unclear($asked) if !defined $path;
  my ($directory, $judged) = inside($path);
  return may_change($asked, $path) if !defined $directory;
  # `git init` tries whether links work.
  return $judged =~ /^t\w{6}$/ && $target eq "testing" ? 0 : denied($asked, $path);
}

# Replaces settings by a copy of what was judged.
sub change_settings {
  my ($asked, $directory, $kind) = @_;
  my $path = "$directory/$kind";
  my $lock = read_file("$path.lock");
  return denied($asked, "$path.lock") if !defined $lock;
  my @before = settings(read_file($path) // "");
  my @after = settings($lock);
  return denied($asked, $path) if @after && !defined $after[0] || !@after && !-e $path;
  # Settings that can run programs must be among the old ones, in their order.
  for my $setting (grep { !is_harmless_setting($_, $directory, $kind) } @after) {
    shift @before while @before && $before[0] ne $setting;
    if (!@before) {
      my ($key, $value) = split /\n/, $setting, 2;
      refuse($asked->{call}, "the setting $key was not changed in $path: it can make git run programs, outside the sandbox, too. Only the user can set it: git config $key '$value'");
      return $EACCES;
    }
    shift @before;
  }
  my $new = "$path.toolcrib";
  unlink $new;
  my $mode = (stat "$path.lock")[2] & 0777;
  sysopen(my $file, $new, 0xc1 | 0x20000, $mode) or return 0 + $!; # O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW
  chmod $mode, $file;
  (syswrite($file, $lock) // -1) == length $lock && rename($new, $path) or return 0 + $!;
  unlink "$path.lock";
  return -1;
}

sub read_file {
  my ($path) = @_;
  sysopen(my $file, $path, 0x20000 | 0x800) or return; # O_NOFOLLOW, O_NONBLOCK
  return if !-f $file || -s $file > 1_000_000;
  local $/;
  return <$file> // "";
}

# Reads settings as git itself does. Each is a key, a line break and a value.
sub settings {
  my ($text) = @_;
  open(my $file, ">", "$name.settings") or return undef;
  print $file $text;
  close $file;
  local %ENV = (GIT_CONFIG_NOSYSTEM => 1, GIT_CONFIG_GLOBAL => "/dev/null", GIT_DIR => "/nonexistent", HOME => "/nonexistent", PATH => "");
  local $SIG{CHLD} = "DEFAULT";
  open(my $output, "-|", $git, "config", "--file", "$name.settings", "--no-includes", "--null", "--list") or return undef;
  my @found = do { local $/ = "\0"; <$output> };
  close $output or return undef;
  chomp_all(@found);
}

sub chomp_all { map { s/\0$//r } @_ }

# Whole families are listed only if no setting of them names a program, a file or a format.
my %families = (
  core => "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf sparsecheckout sparsecheckoutcone untrackedcache splitindex longpaths quotepath abbrev compression commitgraph multipackindex commentchar whitespace",
  user => "name email signingkey useconfigonly", author => "name email", committer => "name email",
  commit => "gpgsign verbose status cleanup", tag => "gpgsign sort forcesignannotated", init => "defaultbranch",
  gc => "auto autodetach autopacklimit pruneexpire reflogexpire reflogexpireunreachable worktreepruneexpire",
  submodule => "active recurse fetchjobs propagatebranches",
  extensions => "worktreeconfig objectformat partialclone refstorage noop noop-v1 preciousobjects relativeworktrees",
  lfs => "repositoryformatversion", pull => "rebase ff", rerere => "enabled autoupdate",
  push => "default autosetupremote followtags recursesubmodules useforceifincludes gpgsign",
  rebase => "autosquash autostash updaterefs stat abbreviatecommands missingcommitscheck reschedulefailedexec forkpoint rebasemerges backend",
  index => "version threads sparse recordendofindexentries recordoffsettable skiphash",
  fetch => "prune prunetags parallel recursesubmodules fsckobjects writecommitgraph output showforcedupdates",
  feature => "manyfiles experimental", maintenance => "auto strategy autodetach", clone => "defaultremotename rejectshallow",
  merge => "conflictstyle ff renames renamelimit directoryrenames stat log autostash branchdesc renormalize verbosity",
  log => "date decorate abbrevcommit follow showroot mailmap", branch => "autosetupmerge autosetuprebase sort",
  checkout => "defaultremote guess workers thresholdforparallelism", apply => "whitespace ignorewhitespace", am => "keepcr threeway",
  i18n => "commitencoding logoutputencoding", worktree => "guessremote userelativepaths", remote => "pushdefault",
  diff => "algorithm renames renamelimit mnemonicprefix noprefix colormoved colormovedws context interhunkcontext submodule ignoresubmodules wserrorhighlight statgraphwidth indentheuristic relative suppressblankempty autorefreshindex",
  pack => "threads window windowmemory depth compression usesparse",
);
my %plain = map { my $family = $_; map { ("$family.$_" => 1) } split / /, $families{$family} } keys %families;

sub is_harmless_setting {
  my ($setting, $directory, $setting_of) = @_;
  my ($key, $value) = split /\n/, $setting, 2;
  $value //= "";
  # In an address, `ext::` names a program. In other values, `!` begins a command.
  return 0 if $value =~ /^!|::/;
  return $key ne "options.strategy" || $value =~ $strategy if $key =~ /^options\./ && $setting_of eq "sequencer/opts";
  return 1 if $plain{$key} || $key =~ /^(?:advice|color|column|status|stash)\.[a-z.]+$/;
  return $value !~ /^-/ if $key =~ /^remote\.[^\n]*\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skipfetchall|skipdefaultupdate|followremotehead)$/s;
  return 1 if $key =~ /^branch\.[^\n]*\.(?:remote|merge|rebase|description|pushremote|vscode-merge-base|github-pr-owner-number)$/s;
  return $value !~ /^-/ if $key =~ /^submodule\..*\.(?:url|active|branch|ignore|fetchrecursesubmodules)$/s;
  return $value =~ /^(?:checkout|rebase|merge|none)$/ if $key =~ /^submodule\..*\.update$/s;
  # The work tree of a submodule, as git itself writes it: below the folder of the outermost git directory.
  if ($key eq "core.worktree" && $directory =~ m{/modules/}) {
    my ($outer) = sort { length $a <=> length $b } grep { index($directory, "$_/") == 0 } @guards;
    my $ups = 1 + split m{/}, substr $directory, 1 + length $outer;
    return $value =~ m{^(?:\.\./){$ups}(?!\.\.(?:/|$))[^/]} && !grep { $_ eq ".." || $_ eq ".git" } (split m{/+}, $value)[$ups .. 99];
  }
  return 0;
}

# Only git's own programs run in this view. Others fail as if they were scripts without a first line, so that git calls the
# shell for them, which is git-trampoline.pl there.
my %own;

sub may_start {
  my ($asked, $path) = @_;
  return 8 if !defined $path; # ENOEXEC
  return 0 if $path eq "/bin/sh" || $path eq $shell;
  return 0 if $own{$path} //= is_own($path);
  my $there = "/proc/$asked->{pid}/" . ($path =~ m{^/} ? "root$path" : "cwd/$path");
  return -e $there ? -x _ ? 8 : 13 : 2;
}

sub is_own {
  my ($path) = @_;
  return 0 if !grep { $path eq $_ || index($path, "$_/") == 0 && $path !~ m{/\.\.?(?:/|$)} } $git, $programs;
  open(my $file, "<", $path) or return 0;
  sysread $file, my $start, 4;
  return $start eq "\x7fELF" ? 1 : 0;
}

# The trampoline waits in this call, until the program has run in the view of commands.
my $messages = qr{^(?:COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|TAG_EDITMSG|NOTES_EDITMSG|EDIT_DESCRIPTION|ADD_EDIT\.patch|addp-hunk-edit\.diff|sequencer/todo|rebase-(?:merge|apply)/(?:git-rebase-todo|final-commit|message))$};

sub run_outside {
  my ($asked) = @_;
  my ($call, $pid) = ($asked->{call}, $asked->{pid});
  my $folder = readlink "/proc/$pid/cwd";
  my @words = list_in("/proc/$pid/cmdline");
  splice @words, 0, 2;
  my %variables = map { /^([^=]+)=(.*)$/s } list_in("/proc/$pid/environ");
  delete $variables{GIT_TEMPLATE_DIR};
  my $process = syscall($number{pidfd_open}, $pid, 0);
  my @fds = map { syscall($number{pidfd_getfd}, $process, $_, 0) } 0 .. 2;
  syscall($number{close}, $process) if $process >= 0;
  my $id = ++$next;
  my $run = $runs{$id} = { asked => $asked, call => $call, copies => [] };
  for my $index (1 .. $#words) {
    my $path = $words[$index] =~ m{^/} ? $words[$index] : "$folder/" . $words[$index] =~ s{^\./}{}r;
    my ($directory, $judged) = inside($path);
    $words[$index] = copy_for($run, $path) // $words[$index] if defined $directory && $judged =~ $messages;
  }
  my $sent = $call->{shim} && !grep({ $_ < 0 } @fds) && send_message($call->{shim}, \@fds, "run", $id, $folder, scalar(keys %variables), %variables, @words);
  syscall($number{close}, $_) for grep { $_ >= 0 } @fds;
  answer_run($id, 127 << 8) if !$sent;
  return;
}

sub list_in { my ($path) = @_; open(my $file, "<", $path) or return; local $/; my @texts = split /\0/, <$file> // "", -1; pop @texts; @texts }

# Editors and hooks get a copy of the file that they change, because the repository is read-only for them.
sub copy_for {
  my ($run, $path) = @_;
  my $content = read_file($path) // return;
  my $folder = sprintf "toolcrib-git-%d-%d", $$, ++$next;
  mkdir "$temporary/$folder", 0700 or return;
  opendir(my $handle, "$temporary/$folder") or return;
  my ($file_name) = $path =~ m{([^/]+)$};
  my $at = "/proc/self/fd/" . fileno $handle;
  sysopen(my $file, "$at/$file_name", 0xc1 | 0x20000, 0600) or return;
  syswrite $file, $content;
  push @{ $run->{copies} }, { handle => $handle, at => $at, name => $file_name, path => $path, content => $content, folder => "$temporary/$folder" };
  return "$seen/$folder/$file_name";
}

sub answer_run {
  my ($id, $status) = @_;
  my $run = delete $runs{$id} or return;
  for my $copy (@{ $run->{copies} }) {
    my $content = read_file("$copy->{at}/$copy->{name}");
    if (defined $content && $content ne $copy->{content} && sysopen(my $file, $copy->{path}, 0x201 | 0x20000)) {
      syswrite $file, $content;
    }
    unlink "$copy->{at}/$copy->{name}";
    rmdir $copy->{folder};
  }
  answer($run->{asked}, $status, 0, 0);
}

my %rule_of = (
  open => sub { my ($asked, @given) = @_; may_open($asked, $given[1], path_at($asked, -100, $given[0])) },
  openat => sub { my ($asked, @given) = @_; may_open($asked, $given[2], path_at($asked, @given[0, 1])) },
  creat => sub { my ($asked, @given) = @_; may_open($asked, 0x241, path_at($asked, -100, $given[0])) },
  truncate => sub { my ($asked, @given) = @_; may_change($asked, path_at($asked, -100, $given[0])) },
  mkdir => sub { my ($asked, @given) = @_; may_make_directory($asked, path_at($asked, -100, $given[0])) },
  mkdirat => sub { my ($asked, @given) = @_; may_make_directory($asked, path_at($asked, @given[0, 1])) },
  mknod => sub { my ($asked, @given) = @_; may_symlink($asked, path_at($asked, -100, $given[0])) },
  mknodat => sub { my ($asked, @given) = @_; may_symlink($asked, path_at($asked, @given[0, 1])) },
  chmod => sub { my ($asked, @given) = @_; may_change($asked, scalar path_at($asked, -100, $given[0]), 1) },
  fchmodat => sub { my ($asked, @given) = @_; may_change($asked, scalar path_at($asked, @given[0, 1]), 1) },
  fchmodat2 => sub { my ($asked, @given) = @_; may_change($asked, scalar path_at($asked, @given[0, 1]), 1) },
  unlink => sub { my ($asked, @given) = @_; may_remove($asked, path_at($asked, -100, $given[0])) },
  rmdir => sub { my ($asked, @given) = @_; may_remove_directory($asked, path_at($asked, -100, $given[0])) },
  unlinkat => sub { my ($asked, @given) = @_; ($given[2] ? \&may_remove_directory : \&may_remove)->($asked, path_at($asked, @given[0, 1])) },
  rename => sub { my ($asked, @given) = @_; may_rename($asked, map { scalar path_at($asked, -100, $_) } @given[0, 1]) },
  renameat => sub { my ($asked, @given) = @_; may_rename($asked, scalar path_at($asked, @given[0, 1]), scalar path_at($asked, @given[2, 3])) },
  renameat2 => sub { my ($asked, @given) = @_; $given[4] ? 22 : may_rename($asked, scalar path_at($asked, @given[0, 1]), scalar path_at($asked, @given[2, 3])) },
  link => sub { my ($asked, @given) = @_; may_link($asked, map { scalar path_at($asked, -100, $_) } @given[0, 1]) },
  linkat => sub { my ($asked, @given) = @_; may_link($asked, scalar path_at($asked, @given[0, 1]), scalar path_at($asked, @given[2, 3])) },
  symlink => sub { my ($asked, @given) = @_; may_symlink($asked, scalar path_at($asked, -100, $given[1]), text_at($asked, $given[0])) },
  symlinkat => sub { my ($asked, @given) = @_; may_symlink($asked, scalar path_at($asked, @given[1, 2]), text_at($asked, $given[0])) },
  execve => sub { my ($asked, @given) = @_; may_start($asked, text_at($asked, $given[0])) },
  execveat => sub { $EACCES },
  sched_rr_get_interval => \&run_outside,
);
%rules = map { $number{$_} => $rule_of{$_} } grep { defined $number{$_} } keys %rule_of;

my (%workers, %command_of, %closing);
$SIG{CHLD} = sub {
  while ((my $worker = waitpid -1, 1) > 0) {
    my $command = delete $command_of{$worker};
    delete $workers{$command};
    syswrite(STDOUT, "closed $command\n") if delete $closing{$command};
  }
};
while (my $line = <STDIN>) {
  my ($verb, $command) = $line =~ /^(open|prove|go|close) (\w+)$/ or next;
  if ($verb eq "go") { kill "USR1", $workers{$command} if $workers{$command}; next }
  if ($verb eq "close") {
    $closing{$command} = 1;
    if (my $worker = $workers{$command}) { kill "TERM", $worker }
    elsif (delete $closing{$command}) { syswrite(STDOUT, "closed $command\n") }
    next;
  }
  open(my $file, "<", "$command.plan") or next;
  my @plan = do { local $/; unpack "(N/a*)*", <$file> };
  unlink "$command.plan";
  my $socket;
  socket($socket, 1, 1, 0) && bind($socket, pack("S a*", 1, $command)) && listen($socket, 128) or die "git service: $!\n";
  my $worker = fork // die "git service: $!\n";
  if ($worker == 0) {
    $SIG{CHLD} = "DEFAULT";
    syscall($number{prctl}, 1, 9, 0, 0, 0); # PR_SET_PDEATHSIG
    exit if getppid() == 1;
    close STDIN;
    read_plan(@plan);
    $verb eq "prove" ? prove() : serve($socket);
  }
  ($workers{$command}, $command_of{$worker}) = ($worker, $command);
  syswrite(STDOUT, "opened $command\n") if $verb eq "open";
}
kill "KILL", values %workers;
exit 0;
