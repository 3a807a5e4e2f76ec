import { expandEntities } from "./entities.ts";
import { namespaces } from "./namespaces.ts";

/** The names that hold within an element that declares namespaces, and what was already looked up. */
interface Scope {
  readonly depth: number;
  readonly outer: Scope | undefined;
  /** Short names of the namespaces that are declared here, by the prefix that is written. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly elements: Map<string, string>;
  readonly attributes: Map<string, string>;
}

/** What written names mean, by the namespaces declared around them. */
export class Names {
  #scope: Scope = scopeOf(0, undefined, new Map());

  /** An element of this depth has begun with these attributes, as they are written. */
  declare(depth: number, attributes: string): void {
    const prefixes = new Map<string, string>();
    for (const [, prefix = "", double, single] of attributes.matchAll(declaration))
      prefixes.set(prefix, shortName(expandEntities(double ?? single ?? "")));
    this.#scope = scopeOf(depth, this.#scope, prefixes);
  }

  /** An element of this depth has ended. */
  leave(depth: number): void {
    if (this.#scope.depth === depth && this.#scope.outer) this.#scope = this.#scope.outer;
  }

  element(written: string): string {
    const { elements } = this.#scope;
    const known = elements.get(written);
    if (known !== undefined) return known;
    const colon = written.indexOf(":");
    const name = this.#qualified(colon === -1 ? "" : written.slice(0, colon), written.slice(colon + 1));
    elements.set(written, name);
    return name;
  }

  attribute(written: string): string {
    const { attributes } = this.#scope;
    const known = attributes.get(written);
    if (known !== undefined) return known;
    const colon = written.indexOf(":");
    // Without a prefix an attribute is in no namespace, whatever the default is.
    const name = colon === -1 ? written : this.#qualified(written.slice(0, colon), written.slice(colon + 1));
    attributes.set(written, name);
    return name;
  }

  #qualified(prefix: string, local: string): string {
    let scope: Scope | undefined = this.#scope;
    while (scope && !scope.prefixes.has(prefix)) scope = scope.outer;
    // A prefix that nobody declared can only be meant as it is usual.
    const short = scope?.prefixes.get(prefix) ?? prefix;
    return short === "" ? local : `${short}:${local}`;
  }
}

const declaration = /(?:^|\s)xmlns(?::([^\s=]+))?\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function scopeOf(depth: number, outer: Scope | undefined, prefixes: ReadonlyMap<string, string>): Scope {
  return { depth, outer, prefixes, elements: new Map(), attributes: new Map() };
}

function shortName(namespace: string): string {
  return namespace === "" ? "" : (namespaces.get(namespace) ?? "?");
}
