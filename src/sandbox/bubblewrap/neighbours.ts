import { ToolError } from "../../contract/error.ts";
import { type Life, lifeOf } from "../../system/process-owner.ts";
import { holdStill } from "./hold-still.ts";

/**
 * The sandboxes of one workspace. Bubblewrap mounts by paths, and makes the places to mount on that it does not find. Who
 * can exchange one of them for a link leads it elsewhere: so whoever does not hold all of them himself, because he began
 * before they were there, stands still while it mounts.
 */
export class Neighbours {
  readonly #all = new Set<Neighbour>();

  enter(): Neighbour {
    const neighbour: Neighbour = new Neighbour(this.#all, () => this.#all.delete(neighbour));
    this.#all.add(neighbour);
    return neighbour;
  }
}

/** One sandbox, from before it is looked what there is to mount on, to its end. */
export class Neighbour {
  readonly #all: ReadonlySet<Neighbour>;
  readonly #remove: () => void;
  readonly #setUp = Promise.withResolvers<void>();
  readonly #holdsStill = new Map<Neighbour, () => void>();
  #places: ReadonlySet<string> | undefined;
  #leader: Life | undefined;
  #isSetUp = false;

  constructor(all: ReadonlySet<Neighbour>, remove: () => void) {
    this.#all = all;
    this.#remove = remove;
  }

  /** Whether nobody can exchange them. If not, everybody is to be looked at again: now those stand still who could. */
  async mayMountOn(places: readonly string[]): Promise<boolean> {
    this.#places = new Set(places);
    const able = [...this.#all].filter(
      (other) => other.#runs() && !this.#holdsStill.has(other) && !other.#holds(places),
    );
    for (const other of able) {
      this.#holdsStill.set(other, () => {});
      const goOn = await holdStill(other.#leader!.pid);
      if (goOn === undefined) throw restless();
      this.#takeOver(other, goOn);
    }
    return able.length === 0;
  }

  /** All is mounted. It may begin when it cannot exchange what others are about to mount on. */
  async mayBegin(pid: number): Promise<void> {
    this.#letGo();
    const isInTheWay = (other: Neighbour) =>
      other !== this && !other.#isSetUp && other.#places !== undefined && !this.#holds([...other.#places]);
    for (;;) {
      const other = [...this.#all].find(isInTheWay);
      if (other === undefined) break;
      await other.#setUp.promise;
    }
    this.#leader = lifeOf(pid);
  }

  leave(): void {
    this.#letGo();
    this.#remove();
  }

  #letGo(): void {
    this.#isSetUp = true;
    this.#setUp.resolve();
    for (const [other, goOn] of this.#holdsStill) {
      this.#holdsStill.delete(other);
      const next = [...this.#all].find((one) => one.#holdsStill.has(other));
      if (next === undefined) goOn();
      else next.#takeOver(other, goOn);
    }
  }

  #takeOver(other: Neighbour, goOn: () => void): void {
    const before = this.#holdsStill.get(other);
    this.#holdsStill.set(other, () => {
      before?.();
      goOn();
    });
  }

  /** Its number may be another's by now. */
  #runs(): boolean {
    return this.#leader !== undefined && lifeOf(this.#leader.pid)?.start === this.#leader.start;
  }

  #holds(places: readonly string[]): boolean {
    return places.every((place) => this.#places?.has(place));
  }
}

function restless(): ToolError {
  return new ToolError(
    "unavailable",
    "Something that runs in the workspace does not stand still while the sandbox is set up: nothing was run",
    { hint: "End it (process.list shows what runs), then try again." },
  );
}
