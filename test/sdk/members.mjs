// Every member of every operation's input or output in the SDK's model, as "Operation Member.Member": members.mjs input|output
import * as dynamodb from "@aws-sdk/client-dynamodb";
import * as streams from "@aws-sdk/client-dynamodb-streams";

const lines = new Set();

function resolve(schema) {
  while (typeof schema === "function") schema = schema();
  return schema;
}

// A schema is [kind, namespace, name, traits, ...]; 1 is a list, 2 a map, 3 a structure, 4 a union.
function walk(operation, schema, path, inside) {
  const [kind, , name, , first, second] = Array.isArray((schema = resolve(schema))) ? schema : [];
  if (name === "AttributeValue" || inside.includes(name)) return;
  if (kind === 1) walk(operation, first, path, [...inside, name]);
  else if (kind === 2) walk(operation, second, path, [...inside, name]);
  else if (kind === 3 || kind === 4)
    first.forEach((member, i) => {
      lines.add(`${operation} ${path}${member}`);
      walk(operation, second[i], `${path}${member}.`, [...inside, name]);
    });
}

for (const library of [dynamodb, streams])
  for (const schema of Object.values(library))
    if (Array.isArray(schema) && schema[0] === 9) walk(schema[2], schema[process.argv[2] === "output" ? 5 : 4], "", []);
console.log([...lines].sort().join("\n"));
