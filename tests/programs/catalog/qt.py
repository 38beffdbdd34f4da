# SPDX-License-Identifier: MIT
"""qt.py - widgets of Qt without a screen, timers, threads, and a picture of the window."""
import os
import subprocess

from program import Program, write

SOURCE = r"""
#include <QtConcurrent>
#include <QtWidgets>
#include <cstdio>
#include <stdexcept>

static int digits(int number)
{
	return QString::number(number).count(QRegularExpression("[0-4]"));
}

int main(int argc, char **argv)
{
	QApplication app(argc, argv);
	QWidget window;
	QVBoxLayout layout(&window);
	QStandardItemModel model(500, 3);
	QTableView table;
	QTextEdit text;
	QProgressBar bar;
	QTimer timer;
	int ticks = 0;

	for (int row = 0; row < model.rowCount(); row++)
		for (int column = 0; column < model.columnCount(); column++)
			model.setItem(row, column, new QStandardItem(QString("%1 x %2").arg(row).arg(column)));
	table.setModel(&model);
	layout.addWidget(&table);
	layout.addWidget(&text);
	layout.addWidget(&bar);
	window.resize(500, 400);
	window.show();
	QObject::connect(&timer, &QTimer::timeout, [&] {
		text.append(QString("<b>tick</b> %1").arg(ticks));
		bar.setValue(++ticks * 5);
		table.sortByColumn(ticks % 3, ticks % 2 ? Qt::DescendingOrder : Qt::AscendingOrder);
		window.grab();
		if (ticks == 20)
			app.exit(3);
	});
	timer.start(10);
	int status = app.exec();
	QList<int> numbers;
	for (int i = 0; i < 20000; i++)
		numbers.append(i);
	std::printf("%d ticks, %d digits\n", ticks, QtConcurrent::blockingMappedReduced<int>(numbers, digits, [](int &sum, int n) { sum += n; }));
	QProcess child;
	child.start("tr", {"a-z", "A-Z"});
	child.write("child\n");
	child.closeWriteChannel();
	child.waitForFinished();
	std::printf("%s", child.readAll().constData());
	text.clearFocus();
	window.grab().save("window.png");
	return status;
}
"""


class Qt(Program):
    name = "qt"
    timeout_s = 60
    what = "a window of Qt, drawn 20 times by a timer, threads, a child; the picture is compared"
    packages = ("qtbase5-dev", "g++", "pkg-config", "fonts-dejavu-core")
    version_command = ("qmake", "-query", "QT_VERSION")
    objects = ("libQt5Gui", "libQt5Widgets")
    libraries = ("libc.so", "libQt5Widgets", "libQt5Core")

    def prepare(self, given):
        source = os.path.join(given, "work.cc")
        write(source, SOURCE)
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "Qt5Widgets", "Qt5Concurrent"], check=True, capture_output=True)
        subprocess.run(["g++", "-O1", "-g", "-fPIC", source, "-o", os.path.join(given, "work"), *flags.stdout.decode().split()],
                       check=True)

    def environment(self):
        return {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": "/tmp", "HOME": "/nonexistent"}

    def command(self, given):
        return [os.path.join(given, "work")]
