import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { useRead } from "../../api/use-read.ts";
import { Empty } from "../../parts/empty.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { SnippetPicker } from "../../snippets/snippet-picker.tsx";
import { useWords } from "../../words/use-words.ts";
import { HomeBudgets } from "./home-budgets.tsx";
import { HomeStats } from "./home-stats.tsx";
import { LastRequests } from "./last-requests.tsx";
import { Steps } from "./steps.tsx";
import { homeWords } from "./words.ts";

/** Am I set up: balance, key, snippet in my language and protocol, last requests. */
export function HomePage(): ReactNode {
  const t = useWords(homeWords);
  const account = useAccount();
  return (
    <Page title={t.title} lead={t.lead(account.name)}>
      <HomeStats account={account.id} />
      <HomeBudgets account={account.id} />
      <Steps account={account.id} role={account.role} />
      <Section title={t.first}>
        <FirstRequest account={account.id} />
      </Section>
      <Section
        title={t.last}
        actions={
          <Link to={`/accounts/${account.id}/requests`} className="link">
            {t.allRequests}
          </Link>
        }
      >
        <LastRequests account={account.id} />
      </Section>
    </Page>
  );
}

function FirstRequest({ account }: { readonly account: string }): ReactNode {
  const t = useWords(homeWords);
  const [search, change] = useSearch();
  const query = useRead(`/accounts/${account}/models`);
  return (
    <Loaded query={query}>
      {({ data }) => {
        // Text first: it answers at once.
        const [text] = data.filter(({ modality }) => modality === "text");
        const model = data.find(({ id }) => id === search["model"]) ?? text ?? data[0];
        if (model === undefined) return <Empty title={t.noModels}>{t.noModelsWhy}</Empty>;
        return (
          <div className="flex flex-col gap-2">
            <div className="max-w-64">
              <Field label={t.model} quiet>
                <Select
                  value={model.id}
                  onChange={(event) => change({ model: event.target.value }, { replace: true })}
                >
                  {data.map(({ id }) => (
                    <option key={id} value={id}>
                      {id}
                    </option>
                  ))}
                </Select>
              </Field>
            </div>
            <SnippetPicker model={model.id} family={model.family} endpoints={model.endpoints} />
          </div>
        );
      }}
    </Loaded>
  );
}
