import type { ReactNode } from "react";
import { Filters, SearchFilter } from "../../parts/filters.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Errors } from "./errors.tsx";
import { UnknownKeys } from "./unknown-keys.tsx";
import { operatorErrorsWords } from "./words.ts";

/** Who has trouble now: errors that are alike, counted, and keys that nobody knows. */
export function OperatorErrorsPage(): ReactNode {
  const t = useWords(operatorErrorsWords);
  const tab = useTab(["errors", "unknown_keys"]);
  return (
    <Page title={t.title} lead={t.lead}>
      <Tabs
        label={t.views}
        tabs={[
          ["errors", t.errors],
          ["unknown_keys", t.unknownKeys],
        ]}
      />
      <Filters names={["error_code", "from", "to"]}>
        {tab === "errors" && <SearchFilter name="error_code" label={t.code} />}
        <SearchFilter name="from" label={t.from} type="date" />
        <SearchFilter name="to" label={t.to} type="date" />
      </Filters>
      {tab === "errors" ? <Errors /> : <UnknownKeys />}
    </Page>
  );
}
