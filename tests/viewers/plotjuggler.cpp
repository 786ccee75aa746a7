// Prints what PlotJuggler's plugin for ArduPilot logs reads in a log, in the form of tests/src/viewer.rs.
//
//     plotjuggler LOG OUTPUT
//
// tests/tests/programs/viewers/plotjuggler.rs builds it together with the plugin's source. The plugin names a series
// "/IMU/#0/GyrX\t[rad s⁻¹]" if it is compiled with LABEL_WITH_UNIT, as it is here; without instances
// "/ATT/Roll\t[deg]". It prints its progress, so the result goes to a file. "from" is the time of a series' first point.

#include <QApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <cstdio>
#include <cstring>

#include "dataload_apbin.h"

static QJsonValue number(double value)
{
  if (std::isnan(value))
  {
    return QJsonObject{ { "f", "nan" } };
  }
  quint64 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return QJsonObject{ { "f", QString("%1").arg(bits, 16, 16, QChar('0')) } };
}

int main(int argc, char** argv)
{
  QApplication application(argc, argv);
  if (argc != 3)
  {
    std::fprintf(stderr, "usage: %s LOG OUTPUT\n", argv[0]);
    return 2;
  }
  FileLoadInfo info;
  info.filename = argv[1];
  PlotDataMapRef plots;
  DataLoadAPBIN plugin;
  if (!plugin.readDataFromFile(&info, plots))
  {
    std::fprintf(stderr, "the plugin refuses the log\n");
    return 1;
  }

  QMap<QString, QJsonObject> messages;
  for (const auto& [name, series] : plots.numeric)
  {
    const QStringList name_and_unit = QString::fromStdString(name).split('\t');
    const QString unit = name_and_unit.size() < 2 ? "" : name_and_unit[1].mid(1, name_and_unit[1].size() - 2);
    QStringList path = name_and_unit[0].mid(1).split('/');
    const QString label = path.takeLast();
    QJsonObject column{ { "count", qint64(series.size()) }, { "unit", unit }, { "first", {} }, { "last", {} } };
    if (series.size() != 0)
    {
      column["first"] = number(series.front().y);
      column["last"] = number(series.back().y);
      column["from"] = number(series.front().x);
    }
    messages[path.join('/')][label] = column;
  }
  QJsonObject shown;
  for (auto message = messages.begin(); message != messages.end(); ++message)
  {
    shown[message.key()] = QJsonObject{ { "columns", message.value() } };
  }
  QFile output(argv[2]);
  if (!output.open(QFile::WriteOnly) || output.write(QJsonDocument(shown).toJson()) < 0)
  {
    std::fprintf(stderr, "%s can't be written\n", argv[2]);
    return 1;
  }
  return 0;
}
