import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { civilOf, dateText, epochDayOf, isCivilDate, weekdayOf } from './civil-date';

describe('civil dates', () => {
  it('counts days as Temporal does, over all years 1 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: -719_162, max: 2_932_896 }), (day) => {
        const reference = Temporal.PlainDate.from('1970-01-01').add({ days: day });
        const civil = civilOf(day);
        expect(dateText(civil)).toBe(reference.toString());
        expect(epochDayOf(civil)).toBe(day);
        expect(weekdayOf(day)).toBe(reference.dayOfWeek);
        expect(isCivilDate(civil)).toBe(true);
      }),
    );
  });

  it('knows the days that do not exist', () => {
    expect(isCivilDate({ year: 2011, month: 2, day: 29 })).toBe(false);
    expect(isCivilDate({ year: 2012, month: 2, day: 29 })).toBe(true);
    expect(isCivilDate({ year: 1900, month: 2, day: 29 })).toBe(false);
    expect(isCivilDate({ year: 2000, month: 2, day: 29 })).toBe(true);
    expect(isCivilDate({ year: 2011, month: 4, day: 31 })).toBe(false);
    expect(isCivilDate({ year: 2011, month: 13, day: 1 })).toBe(false);
    expect(isCivilDate({ year: 0, month: 1, day: 1 })).toBe(false);
  });
});
