import * as argon2 from "@node-rs/argon2";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import { Semaphore } from "../../base/async/semaphore.ts";
import { GatewayError } from "../../errors.ts";

/** Passwords at rest. */
export interface Passwords {
  /** What is kept of a password. */
  hash(password: string): Promise<string>;
  /** True if it is the password. Works as long where there is nobody to compare with, so that time tells nothing. */
  matches(password: string, kept: string | null | undefined, who?: Asker): Promise<boolean>;
  /** Throws too_many_attempts where so many wait that another one would be refused. */
  expectRoom(who?: Asker): void;
}

/** Whoever is known waits before all who are not, and a crowd of strangers fills none of their places. */
interface Asker {
  readonly known: boolean;
}

/** What is used of the library. */
type Library = Pick<typeof argon2, "hash" | "verify">;

/**
 * Argon2id under a secret that follows from the installation's hashing secret, which a dump of the database
 * holds sealed only: without the master key even a weak password cannot be guessed from it.
 */
export function createPasswords(hasher: KeyHasher, { hash, verify }: Library = argon2): Passwords {
  const options: argon2.Options = { ...COST, secret: hasher.hash("secret of password hashes") };
  const turns = new Semaphore({ maxRunning: AT_ONCE, maxWaiting: MAX_WAITING });
  const turn = <T>(work: () => Promise<T>, { known }: Asker): Promise<T> =>
    turns.hasRoom(known) ? turns.run(work, { first: known }) : Promise.reject(busy());
  // Of a password that nobody has: compared with where there is no user.
  let nobodys: Promise<string> | undefined;

  return {
    hash: (password) => turn(() => hash(typed(password), options), STRANGER),
    matches: (password, kept, who = STRANGER) =>
      turn(async () => {
        nobodys ??= hash("nobody's", options);
        const matched = await verify(kept ?? (await nobodys), typed(password), options);
        return matched && typeof kept === "string";
      }, who),
    expectRoom({ known } = STRANGER) {
      if (!turns.hasRoom(known)) throw busy();
    },
  };
}

const STRANGER: Asker = { known: false };

/** The same letters are other bytes on other keyboards. */
function typed(password: string): string {
  return password.normalize("NFKC");
}

/** The library's `Algorithm.Argon2id`, an enumeration that exists for the compiler only. */
const ARGON2ID = 2;

// What OWASP's password storage cheat sheet asks for at least: 19 MiB and two passes in one lane, about 30 ms of one
// core. Written out, since a library's default that moves would change what new passwords cost.
const COST: argon2.Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Node has four threads for this and for files, and the journal of charges must never wait behind passwords. */
const AT_ONCE = 2;

/** Three seconds of waiting: whoever sends more at once is no person. */
const MAX_WAITING = 200;

function busy(): GatewayError {
  return new GatewayError("too_many_attempts", "Too many sign-ins right now. Try again in a moment.", {
    retryAfterSeconds: 5,
  });
}
