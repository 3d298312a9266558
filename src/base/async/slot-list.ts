/** The index that the list keeps on its members. -1 = in none; a member is in one list at most. */
export interface Slotted {
  slot: number;
}

/** Below this, empty slots cost less than moving everybody up. */
const MIN_EMPTY = 32;

/**
 * Objects that join and leave thousands of times a second, in the order of joining.
 *
 * It is not a Set: a Set outgrows its table every few dozen changes, and each old table keeps a link to the next. Once
 * one of them has reached the old generation, the garbage collector keeps all later ones with everything that ever was
 * in them until its next full run: 20 KB of each request survived so, a third of all its time.
 */
export class SlotList<T extends Slotted> {
  #slots: (T | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(member: T): void {
    member.slot = this.#slots.length;
    this.#slots.push(member);
    this.#size += 1;
  }

  /** False where it was not in here. */
  delete(member: T): boolean {
    if (this.#slots[member.slot] !== member) return false;
    this.#slots[member.slot] = undefined;
    member.slot = -1;
    this.#size -= 1;
    if (this.#slots.length - this.#size > Math.max(MIN_EMPTY, this.#size)) this.#moveUp();
    return true;
  }

  clear(): void {
    for (const member of this.members()) this.delete(member);
  }

  /** The member that has been here longest. */
  first(): T | undefined {
    return this.#slots.find((member) => member !== undefined);
  }

  /** Those of this moment, in the order of joining; whoever leaves meanwhile is in it still. */
  members(): T[] {
    return this.#slots.filter((member) => member !== undefined);
  }

  #moveUp(): void {
    this.#slots = this.members();
    this.#slots.forEach((member, slot) => {
      if (member !== undefined) member.slot = slot;
    });
  }
}
