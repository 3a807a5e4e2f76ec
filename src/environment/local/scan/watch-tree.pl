# Watches directories with inotify, and reports which of them have changed. Input: the directories, relative to the
# working directory and each followed by NUL, then one NUL; after that one line feed per question. Every answer is a list
# of records, each followed by NUL, and one more NUL: "d" and a changed directory, "f" and a file that came and went, "i"
# and the inode of a file that a process has mapped, or "x" when the changes are not all known. Ends with its input. The
# numbers are those of Linux: inotify_init1, inotify_add_watch.
use strict; use POSIX ();
my $machine = (POSIX::uname())[4];
my ($init, $add) = $machine eq "x86_64" ? (294, 254) : $machine eq "aarch64" ? (26, 27) : exit 1;
$/ = "\0"; $| = 1; binmode $_ for *STDIN, *STDOUT;
my $queue = syscall($init, 0x80800);
exit 1 if $queue < 0;
my (%paths, %isWatched, %dirty, %made, %madeBefore, %moving, %fleeting, $lost);
# IN_MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF, ONLYDIR, DONT_FOLLOW.
my $mask = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800 | 0x1000000 | 0x2000000;
my $buffer = "";
while ($buffer !~ /(?:^|\0)\0/) { sysread(STDIN, $buffer, 65536, length $buffer) or exit }
for my $path (split /\0/, $buffer) {
  my $watch = syscall($add, $queue, $path, $mask);
  $lost = 1 if $watch < 0 || exists $paths{$watch};
  $isWatched{$paths{$watch} = $path} = 1;
  last if $lost;
}
answer();
for (;;) {
  my $ready = "";
  vec($ready, 0, 1) = 1;
  vec($ready, $queue, 1) = 1 unless $lost;
  next unless select($ready, undef, undef, undef) > 0;
  drain() if !$lost && vec($ready, $queue, 1);
  next unless vec($ready, 0, 1);
  sysread(STDIN, my $asked, 1) or exit;
  # A mapping that ends after this has an event in the queue.
  my %mapped = $lost ? () : mapped();
  drain() unless $lost;
  @fleeting{values %moving} = (); %moving = ();
  answer(keys %mapped);
}

sub answer {
  my @records = $lost ? "x" : ((map { "d$_" } keys %dirty), (map { "f$_" } keys %fleeting), (map { "i$_" } @_));
  my $text = join("", map { "$_\0" } @records) . "\0";
  while (length $text) {
    my $count = syswrite(STDOUT, $text);
    defined $count ? substr($text, 0, $count, "") : $!{EINTR} || exit;
  }
  %dirty = %fleeting = (); %madeBefore = %made; %made = ();
}

# Reads all events. Those after which a directory is no longer watched make the watch useless.
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
  # DELETE_SELF, MOVE_SELF, UNMOUNT, Q_OVERFLOW and IGNORED.
  return $lost = 1 if $mask & 0xec00;
  my $directory = $paths{$watch};
  $dirty{$directory} = 1;
  my $path = $directory eq "." ? $name : "$directory/$name";
  return $lost ||= $mask & 0x3c0 && $isWatched{$path} if $mask & 0x40000000;
  # A file that comes and goes between two questions may be another hard link to a file in an unchanged directory.
  my $isNew = $made{$path} || $madeBefore{$path};
  if ($mask & 0x100) { $made{$path} = 1 }
  elsif ($mask & 0x200) { $fleeting{$path} = 1 if $isNew }
  elsif ($mask & 0x40) { $moving{$cookie} = $path if $isNew; delete $made{$path}; delete $madeBefore{$path} }
  elsif ($mask & 0x80) { $fleeting{$path} = 1 if $isNew; delete $moving{$cookie}; $made{$path} = 1 }
  $lost = 1 if keys %made > 100000;
}

# Returns the inodes of files in shared mappings. Writes to them cause no event until the mapping ends.
sub mapped {
  my %inodes;
  opendir(my $processes, "/proc") or return;
  for my $process (grep { /^\d/ } readdir $processes) {
    open(my $maps, "<", "/proc/$process/maps") or next;
    local $/;
    my $text = <$maps>;
    next unless defined $text;
    $inodes{$1} = 1 while $text =~ /^\S+ ...s \S+ \S+ ([1-9]\d*)/mg;
  }
  return %inodes;
}
