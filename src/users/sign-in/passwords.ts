import * as argon2 from "@node-rs/argon2";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import { Semaphore } from "../../base/async/semaphore.ts";
import { GatewayError } from "../../errors.ts";

/** Hashes of passwords. */
export interface Passwords {
  /** Returns the hash that is stored for a password. */
  hash(password: string): Promise<string>;
  /**
   * True if the password matches. Without a stored hash it takes as long, so that the time reveals nothing about users.
   */
  matches(password: string, kept: string | null | undefined, who?: Asker): Promise<boolean>;
  /** Throws too_many_attempts if so many attempts wait that another one would be refused. */
  expectRoom(who?: Asker): void;
}

/** A known browser's attempts go before all others, and a crowd of strangers does not take their places. */
interface Asker {
  readonly known: boolean;
}

/** The functions of the library that are used. */
type Library = Pick<typeof argon2, "hash" | "verify">;

/**
 * Argon2id with a secret that is derived from the installation's hashing secret, which the database holds only sealed.
 * So not even a weak password can be guessed from a dump of the database without the master key.
 */
export function createPasswords(hasher: KeyHasher, { hash, verify }: Library = argon2): Passwords {
  const options: argon2.Options = { ...COST, secret: hasher.hash("secret of password hashes") };
  const turns = new Semaphore({ maxRunning: AT_ONCE, maxWaiting: MAX_WAITING });
  const turn = <T>(work: () => Promise<T>, { known }: Asker): Promise<T> =>
    turns.hasRoom(known) ? turns.run(work, { first: known }) : Promise.reject(busy());
  // Placeholder that is verified if there is no such user.
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

/** Normalises the password: different keyboards encode the same letters differently. */
function typed(password: string): string {
  return password.normalize("NFKC");
}

/** The library's `Algorithm.Argon2id`, an enumeration that exists only for the compiler. */
const ARGON2ID = 2;

// The minimum of OWASP's password storage cheat sheet: 19 MiB and two passes in one lane, about 30 ms of one core. It
// is stated here, because a changed default of the library would change the cost of new passwords.
const COST: argon2.Options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Node has four threads for this and for files, and the billing journal must never wait for passwords. */
const AT_ONCE = 2;

/** Three seconds of waiting. Only a program sends more attempts at once. */
const MAX_WAITING = 200;

function busy(): GatewayError {
  return new GatewayError("too_many_attempts", "Too many sign-ins right now. Try again in a moment.", {
    retryAfterSeconds: 5,
  });
}
