/** What to do where no answer came back: each opening of a form has a key, so it is done once. */
export const AGAIN = 'Press again: if it was recorded, it is not recorded twice.';
