# Connects its standard streams to a host, for ssh: through the proxy of the command, unless the host is inside.
# Arguments: the host and the port.
use strict;
use warnings;
use IO::Select;
use IO::Socket::IP;
my ($host, $port) = @ARGV;
my ($user, $proxy) = ($ENV{https_proxy} || "") =~ m{^http://(?:([^\@]*)\@)?([^/]+)};
my $is_inside = grep { $_ eq $host } split /,/, $ENV{no_proxy} || "";
my $is_direct = $is_inside || !defined $proxy;
my $socket = IO::Socket::IP->new($is_direct ? (PeerHost => $host, PeerPort => $port) : $proxy)
  or die "ssh: connect to host $host port $port: $@\n";
if (!$is_direct) {
  my $target = $host =~ /:/ ? "[$host]:$port" : "$host:$port";
  my $right = defined $user ? "Proxy-Authorization: Basic " . base64($user) . "\r\n" : "";
  print $socket "CONNECT $target HTTP/1.1\r\nHost: $target\r\n$right\r\n";
  $socket->flush;
  my $answer = "";
  sysread($socket, $answer, 1, length $answer) or last until $answer =~ /\r\n\r\n$/;
  $answer =~ m{^HTTP/1\.\d 200 } or die "ssh: connect to host $host port $port: Refused by the sandbox\n";
}
my %to = (fileno(STDIN) => $socket, fileno($socket) => \*STDOUT);
my $readable = IO::Select->new(\*STDIN, $socket);
while ($readable->exists($socket)) {
  for my $from ($readable->can_read) {
    my $to = $to{fileno $from};
    my $count = sysread $from, my $bytes, 65536;
    if (!$count) {
      $readable->remove($from);
      shutdown $socket, 1 if $from != $socket;
    }
    for (my $sent = 0; $count && $sent < $count;) {
      $sent += syswrite($to, $bytes, $count - $sent, $sent) // exit 1;
    }
  }
}

sub base64 {
  my $text = pack "u", $_[0];
  $text =~ s/^.//gm;
  $text =~ tr{` -_}{AA-Za-z0-9+/};
  $text =~ s/\n//g;
  my $filled = (3 - length($_[0]) % 3) % 3;
  return substr($text, 0, length($text) - $filled) . "=" x $filled;
}
