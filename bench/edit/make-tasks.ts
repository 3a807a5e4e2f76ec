import { Random } from "../data/random.ts";
import { taskClasses } from "./classes.ts";
import type { TaskClass } from "./draft.ts";
import { type Modification, shuffle } from "./modifications.ts";
import type { Form, Task } from "./task.ts";

const tasksPerClass = 120;

/** Makes tasks of every class in every form. The same modifications give the same tasks. */
export function* makeTasks(modifications: readonly Modification[]): Generator<Task> {
  let id = 0;
  for (const taskClass of taskClasses) {
    for (const form of taskClass.forms) {
      for (const task of tasksOf(taskClass, form, modifications)) yield { id: id++, ...task };
    }
  }
}

function* tasksOf(
  { kind, category, make }: TaskClass,
  form: Form,
  modifications: readonly Modification[],
): Generator<Omit<Task, "id">> {
  // Each class has its own seed, so that a new class leaves the others unchanged.
  const random = new Random(hash(`${kind} ${form}`));
  const order = shuffle([...modifications.keys()], random);
  let count = 0;
  for (const index of order) {
    const modification = modifications[index]!;
    const parts = make(modification, form, random, () => random.pick(modifications));
    if (!parts) continue;
    yield { kind, category, form, source: `${modification.source}, ${modification.path}`, ...parts };
    if (++count === tasksPerClass) return;
  }
}

function hash(text: string): number {
  let state = 0;
  for (const character of text) state = (Math.imul(state, 31) + character.codePointAt(0)!) | 0;
  return state;
}
