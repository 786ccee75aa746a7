// Prints what Mission Planner's log reader (DFLogBuffer) reads in a log, in the form of tests/src/viewer.rs.
//
//     mono mission_planner.exe LOG OUTPUT
//
// tests/tests/programs/viewers/mission_planner.rs compiles it together with BinaryLog.cs, DFLog.cs and DFLogBuffer.cs
// of a checkout, and with mission_planner_shims.cs for what these files use of the rest.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using MissionPlanner.Utilities;

static class Program
{
    static int Main(string[] arguments)
    {
        var log = new DFLogBuffer(arguments[0]);
        var messages = new List<string>();
        foreach (var type in log.SeenMessageTypes)
        {
            var id = log.dflog.logformat[type].Id;
            var names = log.InstanceType.ContainsKey(id)
                ? log.InstanceType[id].value.Select(instance => type + "[" + instance + "]")
                : new[] { type };
            foreach (var name in names)
            {
                string shown;
                try
                {
                    shown = "\"columns\": {" + String.Join(", ", Columns(log, type, name)) + "}";
                }
                catch (Exception error)
                {
                    shown = "\"error\": " + Text(error.Message);
                }
                messages.Add(Text(name) + ": {" + shown + "}");
            }
        }
        File.WriteAllText(arguments[1], "{" + String.Join(",\n", messages) + "}");
        return 0;
    }

    static IEnumerable<string> Columns(DFLogBuffer log, string type, string name)
    {
        // Its own struct for a record: the values have their types; the name is the first of them.
        var records = log.GetEnumeratorType(name).Select(record => record.raw).ToList();
        var labels = log.dflog.logformat[type].FieldNames;
        for (var i = 0; i < labels.Count; i++)
        {
            var unit = log.GetUnit(type, labels[i]);
            yield return Text(labels[i]) + ": {\"count\": " + records.Count
                + ", \"unit\": {\"name\": " + (unit.Item1 == null ? "null" : Text(unit.Item1))
                + ", \"multiplier\": " + Value(unit.Item2)
                + "}, \"first\": " + Value(records.First()[i + 1])
                + ", \"last\": " + Value(records.Last()[i + 1]) + "}";
        }
    }

    static string Value(object value)
    {
        if (value is string text)
            return Text(text);
        if (value is BinaryLog.UnionArray array)
        {
            // One object as two types: mono enumerates it as bytes, and indexes it as numbers.
            var samples = Enumerable.Range(0, array.Bytes.Length / 2).Select(i => array.Shorts[i]);
            return "[" + String.Join(", ", samples) + "]";
        }
        var number = Convert.ToDouble(value);
        var bits = BitConverter.DoubleToInt64Bits(number);
        return "{\"f\": \"" + (Double.IsNaN(number) ? "nan" : bits.ToString("x16")) + "\"}";
    }

    static string Text(string text)
    {
        var json = new StringBuilder("\"");
        foreach (var character in text)
            json.Append(character < ' ' || character > '~' || character == '"' || character == '\\'
                ? "\\u" + ((int) character).ToString("x4")
                : character.ToString());
        return json.Append('"').ToString();
    }
}
