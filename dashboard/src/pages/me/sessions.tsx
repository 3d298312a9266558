import type { ReactNode } from "react";
import type { SessionRow } from "../../../../src/console/users/contract.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Rows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { agentOf } from "./agent.ts";
import { meWords } from "./words.ts";

/** The browsers that are signed in. */
export function Sessions(): ReactNode {
  const t = useWords(meWords);
  const list = useRead("/me/sessions");
  const end = useWrite(
    (id: string) => write("DELETE", `/me/sessions/${id}`),
    () => toast(t.ended),
  );
  const endOthers = useWrite(
    () => write("DELETE", "/me/sessions"),
    () => toast(t.ended),
  );
  const error = end.error ?? endOthers.error;
  return (
    <Loaded query={list}>
      {({ data }) => (
        <div className="flex flex-col gap-4">
          <Rows
            caption={t.sessions}
            rows={data}
            rowKey={(row) => row.id}
            columns={[
              { title: t.browser, cell: (row) => <Browser row={row} /> },
              { title: t.address, wideOnly: true, cell: (row) => row.address },
              { title: t.signedIn, wideOnly: true, cell: (row) => <Time at={row.created_at} /> },
              { title: t.lastSeen, cell: (row) => <Time at={row.last_seen_at} /> },
              {
                title: <span className="sr-only">{t.end}</span>,
                align: "end",
                cell: (row) =>
                  !row.current && (
                    <Button
                      busy={end.isPending && end.variables === row.id}
                      onClick={() => end.mutate(row.id)}
                    >
                      {t.end}
                    </Button>
                  ),
              },
            ]}
          />
          {error && <Failed error={error} />}
          {data.length > 1 && (
            <div>
              <Button look="danger" busy={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
                {t.endOthers}
              </Button>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

function Browser({ row }: { readonly row: SessionRow }): ReactNode {
  const t = useWords(meWords);
  const { browser, system } = agentOf(row.user_agent);
  const name = browser ?? (row.user_agent.slice(0, 40) || t.unknownBrowser);
  return (
    <div className="flex min-w-0 flex-col gap-0.5" title={row.user_agent}>
      <span className="flex flex-wrap items-center gap-2">
        <span className="break-words">{system === undefined ? name : t.onSystem(name, system)}</span>
        {row.current && <Badge tone="accent">{t.thisBrowser}</Badge>}
      </span>
      <span className="text-sm text-mute md:hidden">{row.address}</span>
    </div>
  );
}
