import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { StateBadge } from './state-badge';
import { MiniRail, StateRail } from './state-rail';
import { FLAG_LOOKS, GENERATION_LOOKS, PARTITION_LOOKS, RELEASE_LOOKS } from './states';

describe('StateRail', () => {
  it('marks exactly the current state as the current step, and fills its line', () => {
    const html = renderToStaticMarkup(<StateRail current="BUILDING" progress={0.843} />);
    expect(html.match(/aria-current="step"/g)).toHaveLength(1);
    expect(html).toMatch(/title="BUILDING"[^>]*aria-current="step"[^>]*--p:84\.3%/);
  });

  it('says of what a rejected release will not reach that it is not reached', () => {
    const html = renderToStaticMarkup(<StateRail current="REJECTED" reached="RECONCILED" />);
    expect(html.match(/not reached/g)).toHaveLength(3);
  });

  it('is one picture with words in a table', () => {
    const html = renderToStaticMarkup(<MiniRail current="RECONCILED" />);
    expect(html).toContain('role="img" aria-label="state 6 of 9, RECONCILED"');
  });
});

describe('looks', () => {
  it('every state is told apart by its word, and no word goes without a shape', () => {
    for (const looks of [RELEASE_LOOKS, PARTITION_LOOKS, GENERATION_LOOKS, FLAG_LOOKS]) {
      const all = Object.values(looks);
      expect(new Set(all.map((look) => look.label)).size).toBe(all.length);
      for (const look of all) expect(look.icon).toBeTruthy();
    }
  });

  it('a badge is a shape and a word in a hue', () => {
    const html = renderToStaticMarkup(<StateBadge release="ACTIVE" pill />);
    expect(html).toContain('class="st pill ok"');
    expect(html).toContain('href="#i-active"');
    expect(html).toContain('Active');
  });
});
