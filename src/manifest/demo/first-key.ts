import { DEFAULT_GROUP, type DeclaredAccount, type Manifest } from "../manifest.ts";

/**
 * The manifest with one more key on its first account, so that a new installation can be called at once;
 * without any account, one called `first` gets it. Left as it is where the file declares this very key.
 */
export function withFirstKey(manifest: Manifest, credential: string): Manifest {
  const [declared, ...others] = manifest.accounts;
  const account: DeclaredAccount = declared ?? {
    name: "first",
    group: DEFAULT_GROUP,
    balanceNanos: null,
    keys: [],
  };
  const known = manifest.accounts.flatMap(({ keys }) => keys ?? []);
  if (known.some((key) => key.credential === credential)) return manifest;
  const name = freeName(account);
  return {
    ...manifest,
    accounts: [
      { ...account, keys: [...(account.keys ?? []), { name, credential, reference: null }] },
      ...others,
    ],
  };
}

function freeName({ keys }: DeclaredAccount): string {
  const taken = new Set((keys ?? []).map(({ name }) => name));
  let name = "bootstrap";
  for (let number = 2; taken.has(name); number += 1) name = `bootstrap-${number}`;
  return name;
}
