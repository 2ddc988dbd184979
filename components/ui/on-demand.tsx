'use client';

import { type ComponentType, lazy, type ReactNode } from 'react';

/**
 * A component whose script is loaded when it is first shown. Where that fails it says so in its
 * place, or `otherwise` stands there: the page around it goes on.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  otherwise: () => ReactNode = NotLoaded,
) {
  return lazy<ComponentType<Props>>(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: otherwise }),
    ),
  );
}

function NotLoaded() {
  return (
    <p className="pad s m" role="alert">
      This part could not be loaded. Reload the page to try again.
    </p>
  );
}
