import "./styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { onTurnedAway, queryClient } from "./api/query-client.ts";
import { formatSearch, parseSearch } from "./api/search.ts";
import { Announced } from "./parts/announced.tsx";
import { Failure } from "./parts/failure.tsx";
import { Skeleton } from "./parts/skeleton.tsx";
import { routeTree } from "./routes.tsx";
import { useAppearance } from "./shell/appearance.tsx";
import { NotFound } from "./shell/not-found.tsx";

const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch: formatSearch,
  defaultPreload: "intent",
  // The query client knows how fresh things are.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultPendingComponent: Skeleton,
  defaultNotFoundComponent: NotFound,
  // A retry reads again, because drawing alone would show the error that came before the page was drawn.
  defaultErrorComponent: ({ error }) => <Failure error={error} retry={() => void router.invalidate()} />,
});

onTurnedAway(({ code }) => {
  const { pathname, href } = router.state.location;
  const to = code === "password_change_required" ? "/start" : "/sign-in";
  if (pathname === to) return;
  queryClient.removeQueries({ queryKey: ["session"] });
  void router.navigate({ to, search: to === "/start" ? {} : { next: href } });
});

function App(): ReactNode {
  useAppearance();
  return (
    <>
      <RouterProvider router={router} />
      <Announced />
    </>
  );
}

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
