# Watches all directories below the working directory with inotify, and reports which of them have changed. Input: the
# largest number of directories and a line feed; after that "n" to ask about names, or "f" to ask about names and mapped
# files. Every answer is a list of records,
# each followed by NUL, and one more NUL: "d" and a changed directory; "f", how often a name was created, a space and the
# path, for a new directory, a file that came and went, a file with other names, or a process that may have mapped files;
# "i" and the inode of a file that a process has mapped or opened for writing; or "x" when the changes are not all known.
# Ends with its input.
# The numbers are those of Linux: inotify_init1, inotify_add_watch, inotify_rm_watch, getdents64.
use strict; use POSIX (); use Fcntl qw(O_RDONLY O_DIRECTORY O_NOFOLLOW);
my $machine = (POSIX::uname())[4];
my ($init, $add, $remove, $list) =
  $machine eq "x86_64" ? (294, 254, 255, 217) : $machine eq "aarch64" ? (26, 27, 28, 61) : exit 1;
$| = 1; binmode $_ for *STDIN, *STDOUT;
my $queue = syscall($init, 0x80800);
exit 1 if $queue < 0;
# The path of every watch, the watch of every path, and how many directories in a directory are watched.
my (%paths, %watches, %inside);
# Since the last answer: how often names were created, which of them were moved to, and moves that are not yet complete.
my (%dirty, %made, %movedTo, %movedFrom, %moving, %unproven, $moves, $lost);
# IN_MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF, ONLYDIR, DONT_FOLLOW.
my $mask = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x1000000 | 0x2000000;
my $most = "";
while ($most !~ /\n/) { sysread(STDIN, $most, 1, length $most) or exit }
watch(".");
answer();
for (;;) {
  my $ready = "";
  vec($ready, 0, 1) = 1;
  vec($ready, $queue, 1) = 1 unless $lost;
  next unless select($ready, undef, undef, undef) > 0;
  drain() if !$lost && vec($ready, $queue, 1);
  next unless vec($ready, 0, 1);
  sysread(STDIN, my $asked, 1) or exit;
  # A file that is closed after this, and is no longer mapped, has an event in the queue.
  my %inUse = $lost || $asked ne "f" ? () : inUse();
  drain() unless $lost;
  answer(keys %inUse);
}

sub answer {
  # Another name of the file may be in a directory without events.
  for my $path (keys %made) {
    my @stats = lstat $path;
    $unproven{$path} = 1 if @stats ? !-d _ && $stats[3] > 1 : !$movedFrom{$path};
  }
  @unproven{values %moving} = ();
  my @records = $lost ? "x" : (
    (map { "d$_" } keys %dirty), (map { "f" . ($made{$_} || 0) . " $_" } keys %unproven), (map { "i$_" } @_));
  my $text = join("", map { "$_\0" } @records) . "\0";
  while (length $text) {
    my $count = syswrite(STDOUT, $text);
    defined $count ? substr($text, 0, $count, "") : $!{EINTR} || exit;
  }
  %dirty = %made = %movedTo = %movedFrom = %moving = %unproven = (); $moves = 0;
}

# Watches a directory and those below it. Each one is watched before it is read, so that no new directory is missed.
sub watch {
  my @waiting = @_;
  while (defined(my $path = pop @waiting)) {
    my $watch = syscall($add, $queue, $path, $mask);
    next if $watch < 0 && isGone();
    my $known = $paths{$watch};
    next if defined $known && $known eq $path;
    # A directory with two paths is mounted twice.
    return $lost = 1 if $watch < 0 || defined $known || keys %paths >= $most;
    $inside{parentOf($path)} += 1 unless exists $watches{$path};
    ($paths{$watch}, $watches{$path}) = ($path, $watch);
    push @waiting, directoriesIn($path) unless isLeaf($path);
    return if $lost;
  }
}

# A directory is linked from the directory above, from its own "." and from the ".." of each directory in it. A file
# system that does not count these links, such as btrfs, sets 1.
sub isLeaf { my @stats = lstat $_[0]; return @stats && -d _ && $stats[3] == 2 }

sub directoriesIn {
  my ($path) = @_;
  my $directory = POSIX::open($path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!defined $directory) { $lost = 1 unless isGone(); return }
  my @found;
  my $entries = "\0" x 65536;
  my $count;
  while (($count = syscall($list, $directory, $entries, 65536)) > 0) {
    for (my $at = 0; $at < $count;) {
      my ($length, $type, $name) = unpack("\@$at x16 SCZ*", $entries);
      $at += $length;
      next if $type != 4 && $type != 0 || $name eq "." || $name eq "..";
      my $found = $path eq "." ? $name : "$path/$name";
      push @found, $found if $type == 4 || lstat $found && -d _;
    }
  }
  $lost = 1 if $count < 0 && !isGone();
  POSIX::close($directory);
  return @found;
}

sub isGone { $!{ENOENT} || $!{ENOTDIR} || $!{ELOOP} }

sub parentOf { $_[0] =~ m{^(.*)/}s ? $1 : $_[0] eq "." ? "" : "." }

# Forgets a directory that was moved, and those below it.
sub forget {
  my ($path) = @_;
  my @gone = ($path);
  if ($inside{$path}) {
    return $lost = 1 if ++$moves > 50;
    @gone = grep { $_ eq $path || index($_, "$path/") == 0 } keys %watches;
  }
  for my $one (@gone) {
    my $watch = $watches{$one};
    next unless defined $watch;
    unwatch($watch);
    syscall($remove, $queue, $watch);
  }
}

sub unwatch {
  my ($watch) = @_;
  my $path = delete $paths{$watch};
  return unless defined $path && $watches{$path} == $watch;
  delete $watches{$path};
  my $parent = parentOf($path);
  delete $inside{$parent} if --$inside{$parent} <= 0;
}

# Reads all events.
sub drain {
  while (my $count = POSIX::read($queue, my $events, 65536)) {
    my $at = 0;
    while ($at < $count) {
      my ($watch, $mask, $cookie, $length) = unpack("iIII", substr($events, $at, 16));
      my $name = unpack("Z*", substr($events, $at + 16, $length));
      $at += 16 + $length;
      take($watch, $mask, $cookie, $name);
      return if $lost;
    }
  }
}

sub take {
  my ($watch, $mask, $cookie, $name) = @_;
  # UNMOUNT and Q_OVERFLOW.
  return $lost = 1 if $mask & 0x6000;
  my $directory = $paths{$watch};
  return unless defined $directory;
  # DELETE_SELF, MOVE_SELF and IGNORED: the directory above has an event too.
  if ($mask & 0x8c00) {
    unwatch($watch) if $mask & 0x8000;
    return $lost ||= $directory eq ".";
  }
  $dirty{$directory} = 1;
  my $path = $directory eq "." ? $name : "$directory/$name";
  return unless $mask & 0x3c0;
  $lost = 1 if keys %made > 100000;
  if ($mask & 0x40000000) {
    forget($path) if $mask & 0x40;
    return unless $mask & 0x180;
    # Files may have come and gone in the directory before it was watched.
    $made{$path} += 1;
    $unproven{$path} = 1;
    return watch($path);
  }
  # A file that comes and goes may be another name of a file in a directory without events. A name that is moved to and
  # then moved from may have been exchanged with another.
  if ($mask & 0x40) {
    $unproven{$path} = 1 if $movedTo{$path};
    $moving{$cookie} = $path if $made{$path};
    $movedFrom{$path} = 1;
    return;
  }
  $unproven{$path} = 1 if $made{$path} && !$movedFrom{$path};
  return if $mask & 0x200;
  delete $movedFrom{$path};
  $made{$path} += 1;
  if ($mask & 0x80) { $movedTo{$path} = 1; delete $moving{$cookie} }
}

# Returns the inodes of files that are open for writing or in shared mappings. Writes to mapped memory, and asynchronous
# ones (io_submit), cause no event until the file is closed.
sub inUse {
  my (%inodes, @silent);
  for my $process (grep { /^\d/ } namesIn("/proc")) {
    for my $open (map { "/proc/$process/fd/$_" } namesIn("/proc/$process/fd")) {
      # The permissions of the link are those of the open file.
      $inodes{(stat _)[1]} = 1 if ((lstat $open)[2] || 0) & 0200 && -l _ && -f $open;
    }
    my $text = content("/proc/$process/maps");
    # The first thread of a process may have ended.
    $text = join("", map { content("/proc/$process/task/$_/maps") } namesIn("/proc/$process/task")) if $text eq "";
    push @silent, $process if $text eq "";
    # The permissions, such as "rw-s", the offset and the device. A path may look the same.
    $inodes{$1} = 1 while $text =~ /s [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ ([1-9]\d*)/g;
  }
  for my $process (@silent) {
    my $why = whySilent($process);
    # The end of a process takes moments.
    for (my $tries = 0; $why eq "ending" && $tries < 100; $tries += 1) {
      select(undef, undef, undef, 0.005);
      $why = whySilent($process);
    }
    $unproven{"/proc/$process"} = 1 if $why;
  }
  return %inodes;
}

# Why a process of this user without readable mappings may have some: it is ending, and the end of its mappings may have
# no event yet; or it is a program in a sandbox that root has set up, which has made itself unreadable.
sub whySilent {
  my ($process) = @_;
  for my $task (namesIn("/proc/$process/task")) {
    next unless content("/proc/$process/task/$task/stat") =~ /^.*\) (\S) (?:\S+ ){5}(\d+)/s;
    my ($state, $flags) = ($1, $2);
    # PF_KTHREAD.
    next if $state eq "Z" || $state eq "X" || $flags & 0x200000;
    my $status = content("/proc/$process/task/$task/status");
    next unless $< == 0 || $status =~ /^Uid:\t$<\t/m;
    # PF_EXITING.
    return "ending" if $flags & 4;
    return "hidden" if $status =~ /^NSpid:\t\d+\t\d/m;
  }
  return "";
}

sub namesIn { opendir(my $directory, $_[0]) or return; return readdir $directory }

sub content { local $/; open(my $file, "<", $_[0]) or return ""; my $text = <$file>; return defined $text ? $text : "" }
