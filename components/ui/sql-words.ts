/** The words of SQL that carry its structure; they are set heavier, nothing is coloured. */
const KEYWORDS = new Set(
  `select from where and or not null is in as on join left right inner outer full cross using case
   when then else end with distinct group order by having limit offset union all except intersect
   between like ilike cast true false filter over partition values lateral exists any some asc desc
   coalesce round sum count min max avg nullif greatest least`.split(/\s+/),
);

export interface Word {
  text: string;
  keyword: boolean;
}

const WORD = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\d+(?:\.\d+)?|[\p{L}_][\p{L}\d_$]*|\s+|./gu;

/** One line of SQL in words, strings, numbers and signs; joined they are the line again. */
export function sqlWords(line: string): Word[] {
  return (line.match(WORD) ?? []).map((text) => ({
    text,
    keyword: KEYWORDS.has(text.toLowerCase()),
  }));
}
