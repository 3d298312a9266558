import type { ReactNode } from "react";
import type { SignInOptions } from "../../../../src/console/session/contract.ts";
import { write } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { useWords } from "../../words/use-words.ts";
import { keepFlow } from "./flow.ts";
import { Refusal } from "./refusal.tsx";
import { signInWords } from "./words.ts";

/** A button for each identity provider: it leads there, and the page of the return goes on. */
export function Providers({ providers }: { readonly providers: SignInOptions["oidc"] }): ReactNode {
  const t = useWords(signInWords);
  const [{ next }] = useSearch();
  const begin = useWrite(
    (provider: string) => write("POST", "/session/oidc/start", { provider }),
    ({ url, flow }) => {
      keepFlow({ flow, next });
      location.assign(url);
    },
  );
  if (providers.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-6">
      {providers.map(({ id, name }) => (
        <Button key={id} busy={begin.isPending && begin.variables === id} onClick={() => begin.mutate(id)}>
          {t.with(name)}
        </Button>
      ))}
      {begin.error && <Refusal error={begin.error} />}
    </div>
  );
}
