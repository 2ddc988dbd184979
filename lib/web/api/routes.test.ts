import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERBS } from '@/lib/domain/permissions';
import { methods } from '@/lib/web/api/endpoint';
import { openApiDocument } from '@/lib/web/api/openapi';
import { endpoints } from '@/lib/web/api/registry';
import { endpointsOf } from '@/lib/web/api/serve';

const root = path.resolve(import.meta.dirname, '../../../app/api/v1');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(^|\/)route\.tsx?$/.test(file),
);

/** `releases/[release]/plan/route.ts` → `/releases/{release}/plan` */
const templateOf = (file: string) =>
  `/${path.dirname(file)}`.replace(/\[(\w+)\]/g, (_, name: string) => `{${name}}`);

const document = openApiDocument(endpoints) as {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, unknown> };
};

describe('route files, registry and document', () => {
  const served = files.filter((file) => !file.startsWith('[[...path]]'));

  it('each route file serves the path that it lies at, and exports every method', () => {
    expect(served.length).toBeGreaterThan(20);
    for (const file of served) {
      const text = readFileSync(path.join(root, file), 'utf8');
      expect(text.replace(/\s/g, '').replace(',)', ')')).toContain(`serve('${templateOf(file)}')`);
      for (const method of [...methods, 'OPTIONS'])
        expect(text).toMatch(new RegExp(`\\b${method}\\b`));
      expect(endpointsOf(templateOf(file)).length).toBeGreaterThan(0);
    }
  });

  it('each endpoint has its route file, and each operation its endpoint', () => {
    const reached = served.flatMap((file) => endpointsOf(templateOf(file)));
    expect(new Set(reached)).toEqual(new Set(endpoints));
    const operations = Object.entries(document.paths).flatMap(([at, item]) =>
      Object.keys(item)
        .filter((key) => key !== 'parameters')
        .map((method) => `${method.toUpperCase()} ${at}`),
    );
    expect(operations.sort()).toEqual(endpoints.map((e) => `${e.method} ${e.path}`).sort());
  });

  it('has one answer for whatever has no route file', () => {
    expect(files).toContain('[[...path]]/route.ts');
  });
});

describe('the document', () => {
  it('names every operation once, and a permission of the table', () => {
    const ids = endpoints.map((e) => e.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { permission } of endpoints) {
      if (permission !== 'public') expect(VERBS).toContain(permission);
    }
  });

  it('resolves every reference', () => {
    const missing = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)]
      .map(([, pointer]) => pointer ?? '')
      .filter((pointer) => {
        const found = pointer
          .split('/')
          .slice(1)
          .reduce<unknown>(
            (at, step) => (at as Record<string, unknown> | undefined)?.[step],
            document,
          );
        return found === undefined;
      });
    expect(missing).toEqual([]);
  });

  it('describes each path’s names, and a body wherever one is read', () => {
    for (const [at, item] of Object.entries(document.paths)) {
      const names = [...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const described = ((item.parameters ?? []) as { name: string }[]).map((p) => p.name);
      expect(described).toEqual(names);
    }
    for (const endpoint of endpoints) {
      const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()] as {
        requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
        responses: Record<string, unknown>;
      };
      const schema = operation.requestBody?.content['application/json']?.schema;
      expect(schema !== undefined).toBe(endpoint.body !== undefined);
      if (schema) expect(Object.keys(schema).length).toBeGreaterThan(0);
      expect(operation.responses).toHaveProperty('500');
      if (endpoint.permission !== 'public') {
        expect(operation.responses).toHaveProperty('401');
        expect(operation.responses).toHaveProperty('403');
      }
    }
  });

  it('says of a body what the parser takes', () => {
    const item = document.paths['/sources/{source}'] as {
      put: { requestBody: { content: Record<string, { schema: { required: string[] } }> } };
    };
    const { schema } = item.put.requestBody.content['application/json'] ?? {};
    expect(schema?.required).toEqual(['columns', 'key']);
  });
});
