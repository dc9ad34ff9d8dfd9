// programs.js: finds a PostgreSQL server with the extension, and the user that runs it.
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const OLDEST = 15;
const HOW = `Install PostgreSQL ${OLDEST} or later and, for the same version, the extension "dynamo" ` +
  "(docs/installation.md: on Debian and Ubuntu the packages postgresql-17 and postgresql-17-dynamo, or make install), " +
  "or name another server's pg_config in the environment variable PG_CONFIG.";

// The directories of the programs that packages install, the newest version first.
function usualDirectories() {
  const found = [];

  for (const [above, name, below] of [
    ["/usr/lib/postgresql", /^\d+$/, "bin"],
    ["/usr", /^pgsql-\d+$/, "bin"],
    ["/usr/libexec", /^postgresql\d*$/, ""],
    ["/opt/homebrew/opt", /^postgresql@\d+$/, "bin"],
    ["/usr/local/opt", /^postgresql@\d+$/, "bin"],
    ["/Applications/Postgres.app/Contents/Versions", /^\d+$/, "bin"],
    ["/usr/local", /^pgsql$/, "bin"],
  ]) {
    let names = [];

    try {
      names = fs.readdirSync(above).filter((entry) => name.test(entry));
    } catch {
      // not a system of this kind
    }
    const version = (entry) => Number(/\d+$/.exec(entry) ?? 0);

    names.sort((a, b) => version(b) - version(a));
    found.push(...names.map((entry) => path.join(above, entry, below, "pg_config")));
  }
  return found;
}

// The programs of the server that a pg_config describes, or a sentence that says what it lacks.
function inspect(pgConfig) {
  let answers;

  try {
    answers = execFileSync(pgConfig, ["--version", "--bindir", "--sharedir", "--pkglibdir"],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trimEnd().split("\n");
  } catch (error) {
    return error.code === "ENOENT" ? `${pgConfig}: there is no such program` : `${pgConfig}: cannot be executed`;
  }
  const [version, bindir, sharedir, pkglibdir] = answers;
  const major = Number(/\d+/.exec(version));

  if (major < OLDEST)
    return `${pgConfig}: ${version} is too old`;
  for (const program of ["postgres", "initdb"]) {
    if (!fs.existsSync(path.join(bindir, program)))
      return `${pgConfig}: the server is not installed (there is no ${path.join(bindir, program)})`;
  }
  const control = path.join(sharedir, "extension", "dynamo.control");

  const hasLibrary = (name) => ["so", "dylib"].some((suffix) => fs.existsSync(path.join(pkglibdir, `${name}.${suffix}`)));

  if (!fs.existsSync(control) || !hasLibrary("dynamo_http") || !hasLibrary("dynamo_faults"))
    return `${pgConfig}: the extension "dynamo" is not installed for ${version}`;
  return { bindir, major };
}

// The server to use. One that is named must be good; otherwise the first good one is taken.
function findPrograms(named) {
  const candidates = named ? [named] : ["pg_config", ...usualDirectories().filter((file) => fs.existsSync(file))];
  const reasons = [];

  for (const candidate of candidates) {
    const result = inspect(candidate);

    if (typeof result === "object")
      return result;
    reasons.push(`  ${result}`);
  }
  throw new Error(`dynamo-local found no PostgreSQL server with the extension "dynamo":\n${reasons.join("\n")}\n${HOW}`);
}

function numberOf(option, name) {
  try {
    return Number(execFileSync("id", [option, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return undefined;
  }
}

// How to start programs: root cannot run PostgreSQL, so that it becomes another user.
function serverUser() {
  if (process.getuid() !== 0)
    return {};
  for (const name of ["postgres", "nobody"]) {
    const uid = numberOf("-u", name);

    if (uid !== undefined)
      return { uid, gid: numberOf("-g", name) };
  }
  throw new Error("dynamo-local: root cannot run PostgreSQL, and there is neither a user postgres nor a user nobody");
}

module.exports = { findPrograms, serverUser };
