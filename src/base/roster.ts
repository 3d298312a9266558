/** What a roster keeps on its members: where they sit. -1 = nowhere; a member sits in one roster at most. */
export interface Member {
  seat: number;
}

/** Below this, empty seats cost less than moving everybody up. */
const FEWEST_EMPTY = 32;

/**
 * What is under way: joined and left thousands of times a second, in the order of joining.
 *
 * Not a Set: a Set outgrows its table every few dozen changes, and each old table keeps a link to the next.
 * Once one of them has reached the old generation, the garbage collector keeps all later ones with everything
 * that ever was in them until its next full run: 20 KB of each request survived so, a third of all its time.
 */
export class Roster<T extends Member> {
  #seats: (T | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(member: T): void {
    member.seat = this.#seats.length;
    this.#seats.push(member);
    this.#size += 1;
  }

  /** False where it was not in here. */
  delete(member: T): boolean {
    if (this.#seats[member.seat] !== member) return false;
    this.#seats[member.seat] = undefined;
    member.seat = -1;
    this.#size -= 1;
    if (this.#seats.length - this.#size > Math.max(FEWEST_EMPTY, this.#size)) this.#moveUp();
    return true;
  }

  clear(): void {
    for (const member of this.members()) this.delete(member);
  }

  /** The member that has been here longest. */
  first(): T | undefined {
    return this.#seats.find((member) => member !== undefined);
  }

  /** Those of this moment, in the order of joining; whoever leaves meanwhile is in it still. */
  members(): T[] {
    return this.#seats.filter((member) => member !== undefined);
  }

  #moveUp(): void {
    this.#seats = this.members();
    this.#seats.forEach((member, seat) => {
      if (member !== undefined) member.seat = seat;
    });
  }
}
