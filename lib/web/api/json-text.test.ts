import { describe, expect, it } from 'vitest';
import { Invalid } from '@/lib/domain/refusal';
import { maxDepth, parseJson } from '@/lib/web/api/json-text';

function faultOf(text: string): { pointer: string; message: string } {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Invalid && error.issues[0]) return error.issues[0];
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    for (const text of [
      '{"a":[1,-2,0.5,1e3,1.50,0,-0],"b":{"c":"x\\"y\\\\"},"d":null,"e":true}',
      '"9007199254740993"',
      '{"9007199254740993":"12345678901234567.89"}',
      '[0.1,0.30000000000000004,1.7976931348623157,9007199254740991]',
      ' [ ] ',
    ]) {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }
  });

  it('refuses numbers that a double does not hold, at their pointer', () => {
    expect(faultOf('{"events":[{"revision":9007199254740993}]}').pointer).toBe(
      '/events/0/revision',
    );
    expect(faultOf('{"a,\\"[b":1,"x/y":[1,{"z":[2,12345678901234567.89]}]}').pointer).toBe(
      '/x~1y/1/z/1',
    );
    expect(faultOf('[1e400]').pointer).toBe('/0');
    expect(faultOf('[1e17]').pointer).toBe('/0');
    expect(faultOf('0.12345678901234567890').pointer).toBe('');
    expect(faultOf('9007199254740.9931').message).toContain('write it as a string');
  });

  it('refuses a member that is there twice, however it is written', () => {
    expect(faultOf('{"a":1,"b":{"c":1,"c":2}}').pointer).toBe('/b/c');
    expect(faultOf('[{"a":[{"x":1}],"\\u0061":2}]').pointer).toBe('/0/a');
    expect(faultOf('{"a":1,"a":1}').message).toContain('twice');
    expect(parseJson('[{"a":{"a":["a","a",{"a":1}]}},{"a":1}]')).toBeDefined();
    expect(parseJson('{"a":"\\"a\\":","b":1}')).toEqual({ a: '"a":', b: 1 });
  });

  it('survives names that are no JSON', () => {
    for (const text of [
      '{"\\x":9007199254740993}',
      '{"\\x":1,"\\x":2}',
      '{"a\n":1e400}',
      '}{"',
      '{"a',
    ]) {
      expect(() => parseJson(text)).toThrow(Invalid);
    }
  });

  it('refuses deep nesting before it is built', () => {
    expect(parseJson('['.repeat(maxDepth) + ']'.repeat(maxDepth))).toBeDefined();
    expect(faultOf('['.repeat(maxDepth + 1)).message).toContain('deeper');
    expect(faultOf('{"a":'.repeat(200_000)).message).toContain('deeper');
  });

  it('refuses what PostgreSQL cannot hold', () => {
    expect(faultOf('{"a":{"b":"x\\u0000"}}').pointer).toBe('/a/b');
    expect(faultOf('["\\ud800"]').pointer).toBe('/0');
    expect(parseJson('["\\ud83d\\ude00"]')).toEqual(['😀']);
  });

  it('says that a body is not JSON without repeating it', () => {
    expect(faultOf('{"secret": hunter2}').message).not.toContain('hunter2');
    expect(faultOf('').message).toContain('not JSON');
  });
});
