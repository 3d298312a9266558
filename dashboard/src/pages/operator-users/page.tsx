import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Reserved } from "../../parts/reserved.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Invitations } from "../members/invitations.tsx";
import { Invite } from "../members/invite.tsx";
import { peopleWords } from "../members/words.ts";
import { Users } from "./users.tsx";

/** Everybody who can sign in, and the invitations of all accounts. */
export function OperatorPeoplePage(): ReactNode {
  const t = useWords(peopleWords);
  const tab = useTab(["users", "invitations"]);
  const [inviting, setInviting] = useState(false);
  return (
    <Page
      title={t.users}
      lead={t.everybody}
      actions={
        <Reserved to="all">
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            {t.invite}
          </Button>
        </Reserved>
      }
    >
      <Tabs
        label={t.userTabs}
        tabs={[
          ["users", t.users],
          ["invitations", t.invitations],
        ]}
      />
      {tab === "users" ? <Users /> : <Invitations path="/operator/invitations" />}
      {inviting && <Invite onClose={() => setInviting(false)} />}
    </Page>
  );
}
