/**
 * The tokens as a canvas can use them. A custom property is not resolved where it is read
 * (`light-dark(…)` comes back as it is), so each passes through the colour of a probe element.
 */
export function readColours<Name extends string>(
  host: HTMLElement,
  names: readonly Name[],
): Record<Name, string> {
  const probe = document.createElement('i');
  probe.hidden = true;
  host.append(probe);
  const colours = {} as Record<Name, string>;
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colours;
}

/** Sizes a canvas for the screen's pixels and clears it; the context then counts in CSS px. */
export function prepareCanvas(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  // for whoever waits for the picture: nothing else in the document tells that there is one
  canvas.dataset.painted = '';
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
