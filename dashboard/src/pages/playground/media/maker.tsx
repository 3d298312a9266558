import type { ReactNode } from "react";
import { useSearch } from "../../../api/search.ts";
import { useRead } from "../../../api/use-read.ts";
import { Empty } from "../../../parts/empty.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { useWords } from "../../../words/use-words.ts";
import { playgroundWords } from "../words.ts";
import { MediaForm } from "./media-form.tsx";
import { repeatedValues } from "./repeated-values.ts";

interface MakerProps {
  readonly account: string;
  readonly medium: "image" | "video";
}

/** Makes images or videos: forms from the capability catalog, empty or those of a task that is repeated. */
export function Maker({ account, medium }: MakerProps): ReactNode {
  const t = useWords(playgroundWords);
  const [{ from = "" }] = useSearch();
  const capabilities = useRead(`/accounts/${account}/capabilities`);
  const repeated = useRead(`/accounts/${account}/tasks/${from}`, {}, { enabled: from !== "" });
  return (
    <Loaded query={capabilities}>
      {({ data }) => {
        const models = data.filter((each) => each.medium === medium);
        if (models.length === 0) return <Empty title={t.noModels}>{t.noModelsNote}</Empty>;
        if (from === "") return <MediaForm key={medium} account={account} models={models} initial={{}} />;
        return (
          <Loaded query={repeated}>
            {({ request, shortened }) => (
              <MediaForm
                key={from}
                account={account}
                models={models}
                initial={repeatedValues(request)}
                note={shortened > 0 ? `${t.repeated} ${t.repeatedCut}` : t.repeated}
              />
            )}
          </Loaded>
        );
      }}
    </Loaded>
  );
}
