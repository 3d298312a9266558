import type { ReactNode } from "react";
import { apiUrl } from "../../api/client.ts";
import { useSearch } from "../../api/search.ts";
import { useAccount } from "../../api/session.ts";
import { DownloadLink } from "../../parts/download-link.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { FailedRequests } from "./failed.tsx";
import { failedWords } from "./failed-words.ts";
import { requestsQueryOf } from "./request-filters.tsx";
import { UsageLog } from "./usage-log.tsx";
import { requestsWords } from "./words.ts";

/** The account's requests: what was sent upstream, and what was refused or failed. */
export function RequestsPage(): ReactNode {
  const t = useWords(requestsWords);
  const failed = useWords(failedWords);
  const { id: account } = useAccount();
  const [search] = useSearch();
  const tab = useTab(["log", "failed"]);
  return (
    <Page
      title={t.title}
      lead={tab === "log" ? t.lead : failed.lead}
      actions={
        tab === "log" && (
          <DownloadLink href={apiUrl(`/accounts/${account}/requests.csv`, requestsQueryOf(search))}>
            {t.export}
          </DownloadLink>
        )
      }
    >
      <Tabs
        label={failed.views}
        tabs={[
          ["log", failed.accepted],
          ["failed", failed.failed],
        ]}
      />
      {tab === "log" ? <UsageLog /> : <FailedRequests />}
    </Page>
  );
}
