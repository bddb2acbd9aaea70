import { useEffect, useState } from 'react';

/** Now, once per second; it stands still while the page is hidden. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setNow(Date.now());
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
