export { liftContamination } from './lift';
export { linkContamination } from './link';
export { type MarkInput, markContaminated } from './mark';
