// What Mission Planner's BinaryLog.cs, DFLog.cs and DFLogBuffer.cs use of libraries that mono doesn't have, and of the
// rest of Mission Planner: enough to compile them.

using System;
using System.Collections.Generic;

namespace log4net
{
    public interface ILog
    {
        void Info(object message);
        void Error(object message);
    }

    public static class LogManager
    {
        class Silent : ILog
        {
            public void Info(object message) { }
            public void Error(object message) { }
        }

        public static ILog GetLogger(Type type) => new Silent();
    }
}

namespace Newtonsoft.Json
{
    class Unused { }
}

namespace Microsoft.CodeAnalysis.CSharp.Syntax
{
    class Unused { }
}

namespace MissionPlanner.Utilities
{
    static class Extensions
    {
        public static bool IsNumber(this object value)
        {
            return value is sbyte || value is byte || value is short || value is ushort || value is int
                || value is uint || value is long || value is ulong || value is float || value is double
                || value is decimal;
        }

        public static void ForEach<T>(this IEnumerable<T> items, Action<T> action)
        {
            foreach (var item in items)
                action(item);
        }
    }

    static class rtcm3
    {
        public static class StaticUtils
        {
            // Since 2017.
            public static int LeapSecondsGPS(int year, int month) => 18;
        }
    }
}
