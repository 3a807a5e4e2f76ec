import { stem } from "./terms.ts";

/** Words with the same meaning, as stems. A query also finds them, with less weight. */
export const relatedWords: ReadonlyMap<string, readonly string[]> = relate(`
delete remove del erase unlink destroy drop rm; create new make add build init construct;
get return fetch retrieve read load find lookup obtain; set update assign change modify replace;
check verify validate is has test ensure whether if; number count length size len num;
convert to as into transform from parse; initialize initialise initialization init setup;
error err fail failure; message msg; config configuration conf cfg setting option; directory dir folder;
argument arg param parameter; string str text; function func fn; temporary tmp temp; address addr;
buffer buf; pointer ptr; certificate cert; authentication authenticate auth; image img; window win;
document doc; database db; request req; response resp reply; connection connect conn; context ctx;
maximum max; minimum min; previous prev; source src; destination dest dst; environment env; value val;
character char; integer int; boolean bool; reference ref; attribute attr; command cmd; execute exec run;
password passwd pwd; display show print render draw; calculate compute calc; allocate alloc; free release;
regex regexp; utility util; statistics stats; synchronize sync; asynchronous async; information info;
description desc; repository repo; package pkg; version ver; object obj; array arr list; dictionary dict map;
callback cb; index idx; position pos; current cur curr; original orig; administrator admin; application app;
iterator iter; identifier id; vector vec; library lib; button btn; column col; property prop;
permission perm; sequence seq; generate gen; transaction tx txn; transfer xfer; processor cpu; memory mem;
separator sep delimiter delim; compare cmp equal eq; send emit write output put push; receive recv accept;
start begin open launch; stop end close finish terminate shutdown; copy clone dup duplicate;
encode serialize dump format marshal; decode deserialize parse unmarshal; append add insert push;
wait sleep block; lock mutex; encrypt encryption cipher; compress zip deflate; decompress unzip inflate;
handler handle callback; escape quote; header hdr; register reg; interface iface; network net; device dev;
driver drv; specification spec; signature sig; public pub; private priv; language lang; average avg;
frequency freq; coordinate coord; rectangle rect; background bg; foreground fg
`);

/** Relates the words of each group of a table, as stems. */
export function relate(table: string): Map<string, string[]> {
  const related = new Map<string, string[]>();
  for (const line of table.trim().split(/;\s/)) {
    const words = [...new Set(line.split(" ").map(stem))];
    for (const word of words) {
      const others = words.filter((other) => other !== word);
      related.set(word, [...(related.get(word) ?? []), ...others]);
    }
  }
  return related;
}
