'use client';

import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Width of an element in CSS px, kept up to date; `assumed` until it is in the page. */
export function useWidth<T extends HTMLElement>(
  assumed: number,
): [ref: RefObject<T | null>, width: number, known: boolean] {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width ?? assumed, width !== null];
}
