# Joins the network that a process holds, and runs bubblewrap there with a file system of its own, in which only the given
# directories can be written. bubblewrap creates missing mount points, and a process in the workspace can replace a
# directory of their path by a link meanwhile: nothing is created outside then.
# Arguments: the process, the architecture's numbers of the system calls setns and unshare, the number of directories, the
# directories, and the program with its arguments.
use strict;
my ($NEW_USER, $NEW_NET, $NEW_MOUNTS) = (0x10000000, 0x40000000, 0x20000);
my ($OPENAT2, $OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (437, 428, 429, 442);
my ($O_PATH, $CLOSE_ON_EXEC, $NO_SYMLINKS) = (0x200000, 0x80000, 4);
my $NO_ENTRY = 2;
my ($HERE, $CLONE, $EMPTY_PATH, $RECURSIVE, $READ_ONLY, $EMPTY_PATHS) = (-100, 1, 0x1000, 0x8000, 1, 0x44);
my ($holder, $setns, $unshare, $count, @program) = @ARGV;
my @devices = map "/dev/$_", qw(null zero full random urandom tty);
my @writable = ("/proc", @devices, splice @program, 0, $count);
# syscall accepts no literals.
my ($root, $nothing) = ("/", "");

for (["user", $NEW_USER], ["net", $NEW_NET]) {
  my ($kind, $flag) = @$_;
  open(my $namespace, "<", "/proc/$holder/ns/$kind") or die "the network has ended: $!\n";
  syscall($setns + 0, fileno $namespace, $flag) == 0 or die "the network cannot be joined: $!\n";
}

# Linux has these system calls since 5.12. The mounts of a directory are copied before all others become read-only.
my @failures;
sub copy {
  my ($path) = @_;
  my $at = syscall($OPENAT2, $HERE, $path, pack("Q3", $O_PATH | $CLOSE_ON_EXEC, 0, $NO_SYMLINKS), 24);
  my $copy = $at < 0 ? -1 : syscall($OPEN_TREE, $at, $nothing, $CLONE | $EMPTY_PATH | $RECURSIVE | $CLOSE_ON_EXEC);
  return [$copy, $at] if $copy >= 0;
  push @failures, "$path cannot be mounted: $!\n" if $! != $NO_ENTRY;
  return ();
}
if (!grep($_ eq "/", @writable) && syscall($unshare + 0, $NEW_MOUNTS) == 0) {
  my @copies = map { copy($_) } @writable;
  if (syscall($MOUNT_SETATTR, $HERE, $root, $RECURSIVE, pack("Q4", $READ_ONLY, 0, 0, 0), 32) == 0) {
    die @failures if @failures;
    for (@copies) {
      my ($copy, $at) = @$_;
      syscall($MOVE_MOUNT, $copy, $nothing, $at, $nothing, $EMPTY_PATHS) == 0 or die "a directory that can be written: $!\n";
    }
  }
}
exec { $program[0] } @program or die "$program[0]: $!\n";
