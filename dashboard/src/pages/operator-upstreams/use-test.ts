import type { Upstream } from "../../../../src/console/upstreams/contract.ts";
import { ApiError } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { formatDuration } from "../../format/duration.ts";
import { toast } from "../../parts/toast.tsx";
import { useLanguage } from "../../words/language.ts";
import { refusalIn } from "../../words/refusals.ts";
import { useWords } from "../../words/use-words.ts";
import { upstreamsWords } from "./words.ts";

interface Tested {
  readonly upstream: Pick<Upstream, "id" | "name">;
  readonly credential: { readonly id: string; readonly name: string };
}

/** Tries one credential; `result` stays until the next one is tried. */
export function useTest() {
  return useWrite(({ upstream, credential }: Tested) =>
    write("POST", `/operator/upstreams/${upstream.id}/credentials/${credential.id}/test`, {}),
  );
}

/** Tries every credential of an upstream, one after the other, and says of each how it went. */
export function useTestAll() {
  const t = useWords(upstreamsWords);
  const language = useLanguage();
  const { mutateAsync, isPending } = useTest();
  const testAll = async (upstream: Upstream): Promise<void> => {
    const none = { id: "none", name: t.noCredential };
    for (const credential of upstream.credentials.length === 0 ? [none] : upstream.credentials) {
      const name = `${upstream.name} / ${credential.name}`;
      const said = await mutateAsync({ upstream, credential }).then(
        ({ ok, latency_ms, message }) =>
          ok ? t.testOk(name, formatDuration(latency_ms, language)) : t.testBad(name, message),
        (error: unknown) => {
          const why = error instanceof ApiError ? refusalIn(language, error).words : String(error);
          return t.testBad(name, why);
        },
      );
      toast(said);
    }
  };
  return { testAll, isPending };
}
