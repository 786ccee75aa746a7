// Prints what UAV Log Viewer's parser (JsDataflashParser) reads in a log, in the form of tests/src/viewer.rs.
//
//     node uav_log_viewer.mjs PARSER LOG
//
// PARSER is the parser's parser.js. It is written for a browser's worker: `self` is what it posts to.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [parserPath, logPath] = process.argv.slice(2)

globalThis.self = { addEventListener () {}, postMessage () {} }
// The parser says each type that it loads.
console.log = () => {}

/** The parser's class. Node takes the file for an ES module by its ending only, so a copy has that. */
async function load () {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viewer-'))
    try {
        const copy = path.join(folder, 'parser.mjs')
        fs.copyFileSync(parserPath, copy)
        return (await import(pathToFileURL(copy))).default
    } finally {
        fs.rmSync(folder, { recursive: true })
    }
}

function value (v) {
    if (typeof v !== 'number') return v ?? null
    if (Number.isNaN(v)) return { f: 'nan' }
    const bits = Buffer.alloc(8)
    bits.writeDoubleBE(v)
    return { f: bits.toString('hex') }
}

const Parser = await load()
const parser = new Parser(false)
const file = fs.readFileSync(logPath)
const { types } = parser.processData(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength), [])

const shown = {}
for (const [name, type] of Object.entries(types)) {
    // Of a type with instances there is only the list of them.
    if (type.instances) continue
    try {
        parser.loadType(name.split('[')[0])
    } catch (error) {
        shown[name] = { error: String(error) }
        continue
    }
    const columns = parser.messages[name]
    shown[name] = { columns: {} }
    for (const label of type.expressions) {
        // The viewer has TimeUS in milliseconds, with another name.
        const values = columns[label === 'TimeUS' ? 'time_boot_ms' : label]
        shown[name].columns[label] = {
            count: values.length,
            unit: type.complexFields[label].units,
            first: value(values[0]),
            last: value(values[values.length - 1])
        }
    }
}
process.stdout.write(JSON.stringify(shown))
