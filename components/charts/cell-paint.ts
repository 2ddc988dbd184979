/** Colours that cells are painted with, all tokens. */
export const CELL_COLOURS = [
  'ink',
  'ink-3',
  'edge',
  'surface',
  'run-fill',
  'run-tint',
  'near-fill',
  'ok-fill',
  'bad-fill',
  'wait-fill',
  'wait-tint',
  'seal-fill',
  'seal-tint',
  'idle',
] as const;

export type CellColours = Record<(typeof CELL_COLOURS)[number], string>;

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Under this size a cell is its colour alone; its shape is in the legend, the tooltip, the table. */
const SHAPE_FROM = 6;
const TICK_FROM = 14;

type Ink = CanvasRenderingContext2D;

function fill(c: Ink, { x, y, w, h }: Box, colour: string, radius = 2) {
  c.fillStyle = colour;
  if (Math.min(w, h) < SHAPE_FROM) {
    c.fillRect(x, y, w, h);
    return;
  }
  c.beginPath();
  c.roundRect(x, y, w, h, radius);
  c.fill();
}

function outline(c: Ink, { x, y, w, h }: Box, colour: string, width = 1) {
  c.beginPath();
  c.roundRect(x + width / 2, y + width / 2, w - width, h - width, 2);
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.stroke();
}

function paintLock(c: Ink, { x, y, w, h }: Box, colour: string) {
  const size = Math.min(w, h);
  const mx = x + w / 2;
  const ox = mx - size / 2;
  const oy = y + h / 2 - size / 2;
  c.fillStyle = colour;
  c.fillRect(ox + size * 0.26, oy + size * 0.46, size * 0.48, size * 0.34);
  c.beginPath();
  c.arc(mx, oy + size * 0.46, size * 0.15, Math.PI, 0);
  c.strokeStyle = colour;
  c.lineWidth = Math.max(1, size * 0.09);
  c.stroke();
}

function strokes(
  c: Ink,
  points: readonly (readonly [number, number])[],
  colour: string,
  width: number,
) {
  c.beginPath();
  points.forEach(([x, y], at) => {
    if (at % 2 === 0) c.moveTo(x, y);
    else c.lineTo(x, y);
  });
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.stroke();
}

/** Paints one partition by its code. Every state has a shape of its own, not only a colour. */
export function paintCell(c: Ink, code: string, box: Box, colour: CellColours) {
  const { x, y, w, h } = box;
  const size = Math.min(w, h);
  const shaped = size >= SHAPE_FROM;
  const mx = x + w / 2;
  const my = y + h / 2;
  c.lineCap = 'round';
  c.lineJoin = 'round';
  switch (code) {
    case 'b':
    case 'w':
      fill(c, box, colour['run-fill']);
      break;
    case 'e': {
      fill(c, box, colour['run-tint']);
      const d = Math.max(1.5, size * 0.32);
      if (shaped) fill(c, { x: mx - d / 2, y: my - d / 2, w: d, h: d }, colour['run-fill'], 1);
      break;
    }
    case 'u':
    case 'y':
      if (!shaped) {
        fill(c, box, colour['run-fill']);
        break;
      }
      fill(c, box, colour['run-tint']);
      outline(c, box, colour['run-fill']);
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(x + w, y + h);
      c.lineTo(x, y + h);
      c.closePath();
      c.fillStyle = colour['run-fill'];
      c.fill();
      break;
    case 'k': {
      fill(c, box, colour['near-fill']);
      if (!shaped) break;
      const q = size * 0.3;
      c.beginPath();
      c.moveTo(mx, my - q);
      c.lineTo(mx + q, my);
      c.lineTo(mx, my + q);
      c.lineTo(mx - q, my);
      c.fillStyle = colour.surface;
      c.fill();
      break;
    }
    case 'r': {
      fill(c, box, colour['ok-fill']);
      if (size < TICK_FROM) break;
      const ox = mx - size / 2;
      const oy = my - size / 2;
      c.beginPath();
      c.moveTo(ox + size * 0.27, oy + size * 0.52);
      c.lineTo(ox + size * 0.44, oy + size * 0.69);
      c.lineTo(ox + size * 0.74, oy + size * 0.34);
      c.strokeStyle = colour.surface;
      c.lineWidth = 1.6;
      c.stroke();
      break;
    }
    case 'f':
    case 'x': {
      fill(c, box, colour['bad-fill']);
      if (!shaped) break;
      const q = size * 0.22;
      strokes(
        c,
        [
          [mx - q, my - q],
          [mx + q, my + q],
          [mx + q, my - q],
          [mx - q, my + q],
        ],
        colour.surface,
        size < 12 ? 1.2 : 1.6,
      );
      break;
    }
    case 's':
    case 'l':
      fill(c, box, colour['seal-tint']);
      if (shaped) paintLock(c, box, colour['seal-fill']);
      else fill(c, { x, y: my - 1, w, h: 2 }, colour['seal-fill']);
      break;
    case 'd':
      fill(c, box, colour['seal-fill']);
      if (shaped) paintLock(c, box, colour.surface);
      break;
    case 'g':
    case 'm': {
      const hue = colour[code === 'g' ? 'bad-fill' : 'wait-fill'];
      if (!shaped) {
        fill(c, box, hue);
        break;
      }
      fill(c, box, colour.surface);
      outline(c, box, hue, 1.5);
      const q = size * 0.24;
      strokes(
        c,
        [
          [mx, my - q],
          [mx, my + q * 0.25],
          [mx, my + q],
          [mx, my + q],
        ],
        hue,
        size < 12 ? 1.4 : 2,
      );
      break;
    }
    case 'z': {
      fill(c, box, colour['wait-fill']);
      if (!shaped) break;
      const q = size * 0.22;
      strokes(
        c,
        [
          [mx - q, my + q],
          [mx + q, my - q],
        ],
        colour.surface,
        size < 12 ? 1.2 : 1.6,
      );
      break;
    }
    case 'c': {
      if (!shaped) {
        fill(c, box, colour['wait-fill']);
        break;
      }
      c.save();
      fill(c, box, colour['wait-tint']);
      c.clip();
      for (let z = -h; z < w; z += 4) {
        strokes(
          c,
          [
            [x + z, y + h],
            [x + z + h, y],
          ],
          colour['wait-fill'],
          1.3,
        );
      }
      c.restore();
      outline(c, box, colour['wait-fill']);
      break;
    }
    case 'i':
      c.beginPath();
      c.arc(mx, my, Math.max(0.8, size * 0.16), 0, 7);
      c.fillStyle = colour.idle;
      c.fill();
      break;
    default:
      if (shaped) outline(c, box, colour.edge);
      else if (w >= 2) {
        c.strokeStyle = colour.edge;
        c.lineWidth = 0.5;
        c.strokeRect(x + 0.25, y + 0.25, w - 0.5, h - 0.5);
      } else {
        c.globalAlpha *= 0.35;
        fill(c, box, colour.edge);
        c.globalAlpha /= 0.35;
      }
  }
}

/** Around a partition of unusual length: ink outline, over any state. */
export function paintOdd(c: Ink, { x, y, w, h }: Box, colour: CellColours) {
  c.beginPath();
  c.roundRect(x - 0.5, y - 0.5, w + 1, h + 1, 2);
  c.strokeStyle = colour.ink;
  c.lineWidth = 1.5;
  c.stroke();
}

/** Behind each of several selected ones: they lie together on a ground of ink. */
export function paintBehind(c: Ink, box: Box, gap: number, colour: CellColours) {
  const { x, y, w, h } = box;
  const out = Math.max(1, gap);
  c.fillStyle = colour.ink;
  c.fillRect(x - out, y - out, w + 2 * out, h + 2 * out);
  fill(c, box, colour.surface);
}

/** Around the selected one: an ink ring off a ring of the ground. */
export function paintSelected(c: Ink, { x, y, w, h }: Box, colour: CellColours) {
  c.beginPath();
  c.roundRect(x - 2.5, y - 2.5, w + 5, h + 5, 4);
  c.strokeStyle = colour.surface;
  c.lineWidth = 3;
  c.stroke();
  c.strokeStyle = colour.ink;
  c.lineWidth = 2;
  c.stroke();
}
