/** `1 of 2`, and `2, 1 needed` where more signed than must. */
export const signedText = (standing: number, needed: number): string =>
  standing > needed ? `${standing}, ${needed} needed` : `${standing} of ${needed}`;
