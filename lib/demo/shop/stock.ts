/** An article of the shop; prices in thousandths of a pound, so that they stay whole numbers. */
export interface Article {
  code: string;
  description: string;
  price: number;
  /** What it costs apiece in whole boxes of twelve. */
  tradePrice: number;
}

const LIST: readonly (readonly [code: string, description: string, price: number])[] = [
  ['20125', 'Tea towel, garden birds', 2950],
  ['20126', 'Tea towel, lighthouse', 2950],
  ['20310', 'Enamel mug, cream', 3750],
  ['20311', 'Enamel mug, sage', 3750],
  ['20340', 'Enamel pie dish', 6250],
  ['20722', 'Party bunting, cotton', 4950],
  ['20723', 'Paper garland, stars', 1650],
  ['20891', 'Cake tins, set of three', 4950],
  ['20902', 'Jam jar labels, pack of 24', 850],
  ['20914', 'Cookie cutter, robin', 1250],
  ['21034', 'Candle holder, glass', 1450],
  ['21035', 'Candle, beeswax, tall', 2100],
  ['21080', 'Paper napkins, spots', 850],
  ['21102', 'Lunch bag, woodland', 1650],
  ['21103', 'Lunch bag, dinosaurs', 1650],
  ['21175', 'Tin sign, gone fishing', 2100],
  ['21212', 'Cake cases, pack of 72', 550],
  ['21340', 'Wicker basket, small', 5950],
  ['21341', 'Wicker basket, large', 9950],
  ['21499', 'Wrapping paper, holly', 420],
  ['21500', 'Wrapping paper, tulips', 420],
  ['21733', 'Hanging heart, tea light', 2550],
  ['21754', 'Wooden letters, HOME', 5950],
  ['21790', 'Card game, animals', 1250],
  ['21832', 'Biscuit tin, vintage', 4250],
  ['21915', 'Harmonica in a tin', 1250],
  ['21977', 'Baking cups, pack of 60', 550],
  ['22086', 'Paper chain kit', 2950],
  ['22112', 'Hot water bottle, knitted', 4950],
  ['22114', 'Hot water bottle, tartan', 4250],
  ['22138', 'Baking set, nine pieces', 4950],
  ['22179', 'Fairy lights, warm white', 6750],
  ['22197', 'Popcorn holder, small', 850],
  ['22269', 'Egg cup, hen', 1250],
  ['22355', 'Shopper, strawberries', 850],
  ['22386', 'Jumbo bag, pink polka dot', 1950],
  ['22411', 'Jumbo bag, strawberries', 1950],
  ['22423', 'Cake stand, three tiers', 12750],
  ['22457', 'Slate heart, natural', 2950],
  ['22469', 'Heart of wicker, small', 1650],
  ['22470', 'Heart of wicker, large', 2950],
  ['22578', 'Wooden star, white', 850],
  ['22720', 'Bread bin, cream', 12750],
  ['22727', 'Alarm clock, red', 3750],
  ['22728', 'Alarm clock, pink', 3750],
  ['22865', 'Hand warmer, owl', 2100],
  ['22910', 'Paper chain kit, Christmas', 2950],
  ['23084', 'Night light, rabbit', 2080],
  ['23203', 'Jumbo bag, doily', 2080],
  ['23298', 'Spotty bunting', 4950],
  ['23355', 'Hot water bottle, rabbit', 4950],
  ['47566', 'Party bunting, patchwork', 4650],
  ['79321', 'Chilli lights', 5750],
  ['84029', 'Cushion cover, union flag', 3390],
  ['84077', 'Wooden pencils, pack of 12', 290],
  ['84879', 'Bird ornament, assorted', 1690],
  ['85099', 'Jumbo bag, red spots', 1950],
  ['85123', 'Hanging heart, white', 2550],
];

/** In boxes an article costs 13 % less apiece, to the tenth of a penny: hence three decimals. */
export const articles: readonly Article[] = LIST.map(([code, description, price]) => ({
  code,
  description,
  price,
  tradePrice: Math.floor((price * 87) / 100),
}));

export const postage: Article = {
  code: 'POST',
  description: 'Postage',
  price: 18000,
  tradePrice: 18000,
};

/** Countries that the shop sells to, the likely ones first and repeated. */
const SHARES: readonly (readonly [country: string, share: number])[] = [
  ['United Kingdom', 82],
  ['Germany', 4],
  ['France', 4],
  ['EIRE', 4],
  ['Netherlands', 2],
  ['Spain', 1],
  ['Belgium', 1],
  ['Norway', 1],
  ['Australia', 1],
];
const COUNTRIES = SHARES.flatMap(([country, share]) => Array<string>(share).fill(country));

export interface Customer {
  /** Null: a sale over the counter. */
  id: string | null;
  country: string;
}

/** The customer of a number from 0 on; always from the same country. */
export function customer(number: number): Customer {
  return {
    id: String(12_346 + number),
    country: COUNTRIES[(number * 37) % COUNTRIES.length] as string,
  };
}

/** `2.55` of 2550 thousandths of a pound. */
export function priceText(thousandths: number): string {
  const text = (thousandths / 1000).toFixed(3);
  return text.replace(/0$/, '');
}
