import fc from "fast-check";

/** Programs that mostly read, with words that make them do more. All names are relative. */
const words: Readonly<Record<string, string>> = {
  awk: '-F: -v x=1 a b -f l {print} {print>"f"} {print|"p0"} BEGIN{system("p0")} $1>1 1',
  diff: "a b -u -r d -y -q --to-file=f -l -o f",
  diff3: "a b a --diff-program=p0 -m -e",
  env: "-i A=1 p0 ls -u X -S -Sp0 -- -C d",
  file: "a -b -C -m b -i -f l",
  find: ". d -name a -fprint f -delete -exec p0 {} ; + -print -ls -fls -type -o ! ( ) -newer -maxdepth 1 -prune",
  git: "log diff status show grep a --output=f --output f -O -Op0 --ext-diff branch tag x -c alias.x=!p0 -1 --",
  grep: "a -r . -f b -e -o -c -n -- -A 1",
  gzip: "-c -d -k a -l -t -r d -v -f -n --stdout -9 -- -dc",
  iconv: "-f utf-8 -t utf-16 a -o f -c --output=f -of",
  nice: "-n 1 p0 ls -5 --",
  sdiff: "a b -o f -s --output=f",
  sed: "-n -e -i -f l a b -E -s p w\u00a0f e s/a/b/w\u00a0f s/./p0/e 1p;w\u00a0f /a/{p} $!d --sandbox",
  shuf: "a -o f -n 1 -e -i 1-3 --output=f",
  sort: "-u -o f -of -uof --output=f --outp=f a b -k1 -k -t -T . --compress-program=p0 -S 1b -m -c -- -",
  split: "-l 1 a f --filter=p0 -n 2",
  tar: "-c -f f -cf cf xf tf t.tar -tf -xf a d -C --to-command=p0 -I p0 -z -v -O --file=t.tar -r --remove-files",
  tee: "f -a",
  timeout: "5 p0 ls -k 1 -s KILL --foreground",
  tree: "-o f -of a d -L 1 -a -J -ao -P -I --",
  uniq: "a f -c -d -u -f 1 -s -- - -i",
  xargs: "-I {} p0 ls -n 1 -0 -a l cat -r -t",
  xxd: "-r a f -p -l 4 -i -c 8 -s 1 -",
};

/** A program with some of its words, quoted for a shell. */
export const arbitraryPrograms: fc.Arbitrary<string> = fc
  .constantFrom(...Object.keys(words))
  .chain((program) =>
    fc
      .array(fc.constantFrom(...words[program]!.split(" ")), { minLength: 1, maxLength: 5 })
      .map((list) => [program, ...list.map(quote)].join(" ")),
  );

function quote(word: string): string {
  return `'${word.replaceAll("\u00a0", " ").replaceAll("'", "'\\''")}'`;
}
