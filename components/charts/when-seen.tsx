'use client';

import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';

/** Keeps the chart's place until it is seen, and while its script comes. */
export function WhenSeen({ height, children }: { height: number; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element || seen) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      { rootMargin: '160px' },
    );
    const watch = () => observer.observe(element);
    // what the page itself needs comes first
    if (document.readyState === 'complete') watch();
    else addEventListener('load', watch, { once: true });
    return () => {
      removeEventListener('load', watch);
      observer.disconnect();
    };
  }, [seen]);
  return (
    <div ref={place} className="when-seen" style={{ minHeight: height }}>
      {seen && <Suspense>{children}</Suspense>}
    </div>
  );
}
