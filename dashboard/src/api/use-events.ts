import { useEffect, useRef, useState } from "react";
import { apiUrl, type Query } from "./client.ts";

/** Whether what happens arrives as it happens. */
export type Liveness = "connecting" | "live" | "lost";

/** Hears a stream of the console as long as the page is open; the browser reconnects by itself. */
export function useEvents<Event>(path: string, hear: (event: Event) => void, query: Query = {}): Liveness {
  const [liveness, setLiveness] = useState<Liveness>("connecting");
  const latest = useRef(hear);
  latest.current = hear;
  const url = apiUrl(path, query);
  useEffect(() => {
    const source = new EventSource(url);
    source.onopen = () => setLiveness("live");
    source.onerror = () => setLiveness("lost");
    source.onmessage = ({ data }: MessageEvent<string>) => latest.current(JSON.parse(data) as Event);
    return () => source.close();
  }, [url]);
  return liveness;
}
